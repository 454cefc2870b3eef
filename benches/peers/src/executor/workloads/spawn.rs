//! Tasks that come and go.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::time;
use crate::countdown::Countdown;
use crate::executor::peer::{Executor, run};
use crate::machine;
use crate::stats::nanos_per_item;

const TASKS: u64 = 10_000;
const BATCHES: u64 = 50;

/// Spawned in `block_on`; nobody joins them.
pub fn local<E: Executor>() -> f64 {
    let runtime = E::start();
    let done = Arc::new(Countdown::default());
    time(BATCHES, TASKS, || {
        E::block_on(&runtime, spawn_and_wait::<E>(&done));
    })
}

/// The same, spawned by a task on a worker.
pub fn from_task<E: Executor>() -> f64 {
    run::<E, _>(async {
        let done = Arc::new(Countdown::default());
        for _ in 0..BATCHES / 5 {
            spawn_and_wait::<E>(&done).await;
        }
        let start = Instant::now();
        for _ in 0..BATCHES {
            spawn_and_wait::<E>(&done).await;
        }
        nanos_per_item(start.elapsed(), BATCHES * TASKS)
    })
}

/// Spawned from outside onto idle workers, then joined.
pub fn remote_idle<E: Executor>() -> f64 {
    let runtime = E::start();
    time(BATCHES, TASKS, || spawn_and_join::<E>(&runtime))
}

/// The same onto workers that have tasks which yield again and again.
pub fn remote_busy<E: Executor>() -> f64 {
    let runtime = E::start();
    let busy = Arc::new(AtomicBool::new(true));
    for _ in 0..2 * machine::workers() {
        let busy = busy.clone();
        E::detach(E::spawn_on(&runtime, async move {
            // Ordering: Relaxed; the flag publishes nothing.
            while busy.load(Ordering::Relaxed) {
                E::yield_now().await;
                hint::spin_loop();
            }
        }));
    }
    let nanos = time(BATCHES, TASKS, || spawn_and_join::<E>(&runtime));
    busy.store(false, Ordering::Relaxed);
    nanos
}

/// Each task spawns the next one and ends.
pub fn chained<E: Executor>() -> f64 {
    const LINKS: u64 = 1_000;
    let runtime = E::start();
    let done = Arc::new(Countdown::default());
    time(500, LINKS, || {
        E::block_on(&runtime, async {
            done.expect(1);
            spawn_link::<E>(done.clone(), LINKS - 1);
            done.wait().await;
        });
    })
}

async fn spawn_and_wait<E: Executor>(done: &Arc<Countdown>) {
    done.expect(TASKS as usize);
    for _ in 0..TASKS {
        let done = done.clone();
        E::detach(E::spawn(async move { done.arrive() }));
    }
    done.wait().await;
}

fn spawn_and_join<E: Executor>(runtime: &E::Runtime) {
    let tasks: Vec<_> = (0..TASKS).map(|_| E::spawn_on(runtime, async {})).collect();
    E::block_on(runtime, async {
        for task in tasks {
            E::join(task).await;
        }
    });
}

fn spawn_link<E: Executor>(done: Arc<Countdown>, left: u64) {
    E::detach(E::spawn(async move {
        if left == 0 {
            done.arrive();
        } else {
            spawn_link::<E>(done, left - 1);
        }
    }));
}
