//! A runtime with the scheduler on it.

use std::future::Future;
use std::io;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

use greenroom::JoinHandle;

use super::{Handle, RuntimeMetrics};

/// A tokio runtime with greenroom's scheduler on it.
///
/// It derefs to tokio's [`Runtime`](tokio::runtime::Runtime), which `enter` is of.
///
/// Dropping it drops all tasks, those of greenroom and of tokio, and waits for that and for
/// blocking functions that have begun. In async code, where waiting is not allowed, it does the
/// same in the background.
#[derive(Debug)]
pub struct Runtime {
    runtime: greenroom::Runtime,
    handle: Handle,
}

impl Runtime {
    pub(super) fn start(
        tokio: tokio::runtime::Runtime,
        options: greenroom::runtime::Builder,
    ) -> io::Result<Self> {
        let runtime = options.adopt(tokio).map_err(io::Error::other)?;
        let handle = Handle::new(runtime.handle().clone());
        Ok(Self { runtime, handle })
    }

    /// A multi-thread runtime with all drivers.
    ///
    /// # Errors
    ///
    /// If the operating system refuses threads or drivers.
    #[cfg(feature = "rt-multi-thread")]
    pub fn new() -> io::Result<Self> {
        super::Builder::new_multi_thread().enable_all().build()
    }

    /// The handle of the runtime.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Spawns a task on the scheduler.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs a function on a thread where it may block.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(func)
    }

    /// Runs a future to its end on this thread, inside the runtime.
    ///
    /// # Panics
    ///
    /// In async code, and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Shuts down, and waits for tasks and blocking functions no longer than this.
    pub fn shutdown_timeout(self, duration: Duration) {
        self.runtime.shutdown_timeout(duration);
    }

    /// Shuts down without waiting.
    pub fn shutdown_background(self) {
        self.runtime.shutdown_background();
    }

    /// Reads the counters of the runtime and the scheduler.
    #[must_use]
    pub fn metrics(&self) -> RuntimeMetrics {
        self.handle.metrics()
    }
}

// As tokio's: tasks contain their panics, and no lock is held while user code runs.
impl UnwindSafe for Runtime {}
impl RefUnwindSafe for Runtime {}

impl Deref for Runtime {
    type Target = tokio::runtime::Runtime;

    fn deref(&self) -> &Self::Target {
        self.runtime.host()
    }
}
