//! Runtimes that come and go, of every kind, with work on them.

use std::future::pending;
use std::thread;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use greenroom::runtime::{self, Handle};
use greenroom::{JoinHandle, Runtime, yield_now};

use crate::class::Class;
use crate::ledger::End;
use crate::rng::Rng;
use crate::stage::Stage;

/// Tells what is late from what never comes.
const LONG: Duration = Duration::from_secs(30);

pub fn churn(stage: &Stage, mut rng: Rng) {
    while stage.goes_on() {
        // What they leave on the host comes first, or it would only grow.
        assert_eq!(block_on(stage.host.spawn(async { 3 })).ok(), Some(3));
        let tasks = match rng.below(3) {
            0 => attached(stage, &mut rng),
            kind => own(stage, kind == 1, &mut rng),
        };
        for task in tasks {
            let result = block_on(task);
            stage.ledger.told(Class::Churn, End::of(&result));
        }
    }
}

fn start(stage: &Stage, on: &Handle, rng: &mut Rng) -> Vec<JoinHandle<()>> {
    let spawn = |_| {
        let (entry, kind) = (stage.begin(Class::Churn), rng.below(4));
        let host = stage.host.clone();
        on.spawn(async move {
            match kind {
                0 => pending().await,
                1 => tokio::time::sleep(Duration::from_micros(500)).await,
                2 => drop(host.spawn(async {}).await),
                _ => yield_now().await,
            }
            entry.complete();
        })
    };
    (0..stage.batch.div_ceil(4)).map(spawn).collect()
}

/// A tokio runtime that a scheduler is attached to.
fn attached(stage: &Stage, rng: &mut Rng) -> Vec<JoinHandle<()>> {
    let host = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads are to be had");
    let handle = runtime::attach(host.handle()).expect("nothing is attached yet");
    let tasks = start(stage, &handle, rng);
    if rng.below(2) == 0 {
        host.block_on(yield_now());
    }
    drop(host);
    // A thread of another runtime that is waking one of them just now may be who drops it.
    let dropped = Instant::now();
    while handle.metrics().live > 0 {
        assert!(dropped.elapsed() < LONG, "a task outlives its runtime");
        thread::yield_now();
    }
    tasks
}

/// A runtime of ours, ended in each way.
fn own(stage: &Stage, is_single: bool, rng: &mut Rng) -> Vec<JoinHandle<()>> {
    let builder = Runtime::builder();
    let builder = if is_single {
        builder.current_thread()
    } else {
        builder.worker_threads(2)
    };
    let runtime = builder.build().expect("threads are to be had");
    let tasks = start(stage, runtime.handle(), rng);
    runtime.block_on(yield_now());
    match rng.below(3) {
        0 => drop(runtime),
        1 => runtime.shutdown_background(),
        _ => assert_eq!(runtime.shutdown_timeout(LONG).left, 0),
    }
    tasks
}
