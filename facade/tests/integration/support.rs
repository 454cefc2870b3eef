//! What several of these modules need.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

/// Tells a hang from an answer; no test rests on its length.
const LONG: Duration = Duration::from_secs(30);

pub(crate) fn multi() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

pub(crate) fn single() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Both kinds of runtimes.
pub(crate) fn both() -> [Runtime; 2] {
    [single(), multi()]
}

/// Fails instead of hanging.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(LONG, future).await.expect("a hang")
}

/// Waits for what other threads do by themselves. Fails instead of hanging.
pub(crate) fn until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "a hang");
        std::thread::yield_now();
    }
}

/// How often the scheduler of the runtime around has run a task.
pub(crate) fn polls() -> u64 {
    let metrics = greenroom::runtime::Handle::current().metrics();
    metrics.workers.iter().map(|worker| worker.polls).sum()
}

/// A task that says whether it runs on our scheduler.
pub(crate) async fn is_ours() -> bool {
    greenroom::try_id().is_some()
}

/// Counts how many of its guards have been dropped.
#[derive(Clone, Default)]
pub(crate) struct Drops(Arc<AtomicUsize>);

pub(crate) struct Guard(Arc<AtomicUsize>);

impl Drops {
    pub(crate) fn guard(&self) -> Guard {
        Guard(Arc::clone(&self.0))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
