//! Runtimes: building one, attaching the scheduler to one, and handles to it.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

pub use super::builder::Builder;
pub use super::error::{AttachError, BuildError, NoRuntime, Refused};
use super::executor::Executor;
pub use super::handle::{Handle, attach};
use super::host::tokio as host;
pub use super::metrics::{Metrics, WorkerMetrics};
use super::options::Options;
use crate::task::JoinHandle;

/// A tokio runtime with the scheduler on it, for programs whose `main` is not async.
///
/// ```
/// # use greenroom::{Runtime, actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// fn main() -> Result<(), greenroom::Error> {
///     let runtime = Runtime::new()?;
///     let counter = runtime.block_on(async { Counter { count: 0 }.spawn() });
///     assert_eq!(runtime.block_on(counter.add(2))?, 2);
///     runtime.block_on(counter.shutdown());
///     Ok(())
/// }
/// ```
///
/// Dropping it cancels all tasks and actors, drops their futures and states on the workers, waits
/// for that, and then drops the tokio runtime. Dropped in async code, where waiting is not
/// allowed, it does the same in the background.
pub struct Runtime {
    /// There until the shutdown.
    host: Option<tokio::runtime::Runtime>,
    handle: Handle,
}

/// How a shutdown with a limit went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// Tasks and actors that had not ended: each is in a poll that did not return in time, or
    /// waits for a worker that is in one.
    pub left: usize,
}

impl Runtime {
    /// A multi-thread runtime with the default options (without the feature `rt-multi-thread` a
    /// current-thread one).
    ///
    /// # Errors
    ///
    /// If the operating system refuses threads or drivers.
    pub fn new() -> Result<Self, BuildError> {
        Self::builder().build()
    }

    /// A builder, to choose options.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Attaches a scheduler to a tokio runtime, or finds the one that is there: the same as
    /// [`runtime::attach`](attach()).
    ///
    /// # Errors
    ///
    /// None at present; callers should not rely on it.
    pub fn attach(runtime: &tokio::runtime::Handle) -> Result<Handle, AttachError> {
        attach(runtime)
    }

    pub(super) fn start(tokio: tokio::runtime::Runtime, options: &Options) -> Self {
        let shared = host::attach(tokio.handle(), host::Attach::Own(options))
            .unwrap_or_else(|_| unreachable!("nobody knew the runtime before"));
        Self {
            host: Some(tokio),
            handle: Handle(Executor::from_shared(shared)),
        }
    }

    fn host(&self) -> &tokio::runtime::Runtime {
        self.host
            .as_ref()
            .expect("the host is there until the shutdown")
    }

    /// Runs a future to its end on this thread, inside the runtime.
    ///
    /// # Panics
    ///
    /// In async code, as tokio's `block_on`; and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.host().block_on(future)
    }

    /// Spawns a task.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// The handle of the scheduler.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// The handle of the tokio runtime.
    #[must_use]
    pub fn tokio_handle(&self) -> &tokio::runtime::Handle {
        self.host().handle()
    }

    /// Enters the runtime: until the guard is dropped, what this thread spawns, tasks or actors,
    /// is spawned here. It does not drive the runtime.
    #[must_use = "the runtime is around only while the guard lives"]
    pub fn enter(&self) -> tokio::runtime::EnterGuard<'_> {
        self.host().enter()
    }

    /// Reads the counters.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.handle.metrics()
    }

    /// Shuts down, but does not wait for longer than `limit`; says what was left then. In async
    /// code it does not wait at all.
    pub fn shutdown_timeout(mut self, limit: Duration) -> Shutdown {
        self.shut_down(Some(limit));
        Shutdown {
            left: self.metrics().live,
        }
    }

    /// Shuts down without waiting.
    pub fn shutdown_background(mut self) {
        self.shut_down(Some(Duration::ZERO));
    }

    fn shut_down(&mut self, limit: Option<Duration>) {
        let Some(tokio) = self.host.take() else {
            return;
        };
        let shared = self.handle.0.shared();
        shared.close();
        let may_wait = limit != Some(Duration::ZERO) && may_wait();
        if !may_wait {
            // The host drops the pumps on its workers, and the last one runs out what is left.
            tokio.shutdown_background();
        } else if let Some(limit) = limit {
            let began = Instant::now();
            // The timer is made inside, where there is a driver.
            let end = async { tokio::time::timeout(limit, shared.wait_for_end()).await };
            let _ = tokio.block_on(end);
            tokio.shutdown_timeout(limit.saturating_sub(began.elapsed()));
        } else {
            tokio.block_on(shared.wait_for_end());
            drop(tokio);
        }
        host::remove(shared);
    }
}

/// Whether this thread may wait for a runtime: not in async code, and not while its thread-local
/// values are being dropped, when tokio can't park it.
fn may_wait() -> bool {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => false,
        Err(error) => !error.is_thread_local_destroyed(),
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.shut_down(None);
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}
