//! What several of these modules need.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use greenroom::Runtime;

/// Tells a hang from an answer; no test rests on its length.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) fn multi(workers: usize) -> Runtime {
    Runtime::builder().worker_threads(workers).build().unwrap()
}

pub(crate) fn single() -> Runtime {
    Runtime::builder().current_thread().build().unwrap()
}

/// Both kinds of runtimes.
pub(crate) fn both() -> [Runtime; 2] {
    [single(), multi(2)]
}

pub(crate) fn tokio_multi(workers: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap()
}

pub(crate) fn tokio_single() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Fails instead of hanging.
pub(crate) async fn within<F: Future>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(LONG, future).await {
        Ok(output) => output,
        Err(_) => panic!("{what} did not come"),
    }
}

/// Counts how many of its guards are alive, and how many have been dropped.
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
