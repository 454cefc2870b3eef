//! How soon a task that was woken starts.

use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::executor::peer::{Executor, run};
use crate::machine::{pin_to_cpu, spin, workers};
use crate::stats::percentile;

const SAMPLES: usize = 300;
const WOKEN: usize = 10;
/// What the poll that woke them does next.
const COMPUTED: Duration = Duration::from_millis(5);
/// Until the tasks wait and the other workers sleep.
const SETTLED: Duration = Duration::from_millis(2);

/// Workers have a CPU each: left alone, the kernel of a virtual machine may put the thread that
/// was woken on the CPU that computes, where it waits for milliseconds whatever its runtime does.
///
/// A poll wakes ten tasks, then computes: the time to the start of the first of them, P99.
pub fn to_start_p99<E: Executor>() -> f64 {
    run::<E, _>(async {
        pin_workers::<E>().await;
        let mut samples = Vec::with_capacity(SAMPLES);
        for _ in 0..SAMPLES {
            samples.push(first_start::<E>().await.as_nanos() as u64);
        }
        percentile(&mut samples, 99) as f64
    })
}

/// Blocks all workers at once, so that each of them has one of the tasks.
async fn pin_workers<E: Executor>() {
    let all = Arc::new(Barrier::new(workers()));
    let pinning: Vec<_> = (0..workers())
        .map(|cpu| {
            let all = all.clone();
            E::spawn(async move {
                all.wait();
                pin_to_cpu(cpu);
            })
        })
        .collect();
    for task in pinning {
        E::join(task).await;
    }
}

async fn first_start<E: Executor>() -> Duration {
    let gate = Arc::new(Notify::new());
    let waiting: Vec<_> = (0..WOKEN)
        .map(|_| E::spawn(start_of(gate.clone())))
        .collect();
    E::sleep(SETTLED).await;
    let woken = Instant::now();
    gate.notify_waiters();
    spin(COMPUTED);
    let mut first = Duration::MAX;
    for task in waiting {
        first = first.min(E::join(task).await.duration_since(woken));
    }
    first
}

/// When it goes on after the gate has opened.
async fn start_of(gate: Arc<Notify>) -> Instant {
    let mut opened = pin!(gate.notified());
    opened.as_mut().enable();
    opened.await;
    Instant::now()
}
