//! What the benches share: an actor, and a way to time work on a worker.

use std::time::{Duration, Instant};

use greenroom::{Runtime, actor};

/// Adds numbers up.
#[actor]
pub(crate) struct Counter {
    sum: u64,
}

#[actor]
impl Counter {
    pub(crate) fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }
}

/// Spawns a counter whose mailbox has so many slots.
pub(crate) fn counter(capacity: usize) -> CounterHandle {
    greenroom::Builder::new(Counter { sum: 0 })
        .mailbox(capacity)
        .spawn()
}

/// A multi-thread runtime of its own, to be kept for a whole group of measurements.
pub(crate) fn runtime(workers: usize) -> Runtime {
    Runtime::builder()
        .worker_threads(workers)
        .build()
        .expect("a runtime can be built")
}

/// The time of `iterations` calls of `work`, one after another in a task on a worker.
pub(crate) fn time<F>(
    runtime: &Runtime,
    iterations: u64,
    work: impl Fn() -> F + Send + 'static,
) -> Duration
where
    F: Future<Output = ()> + Send,
{
    let task = async move {
        let start = Instant::now();
        for _ in 0..iterations {
            work().await;
        }
        start.elapsed()
    };
    runtime.block_on(async { greenroom::spawn(task).await.expect("no bench panics") })
}
