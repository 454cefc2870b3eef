//! Runtimes: building one, attaching the scheduler to one, and handles to it.
//!
//! # From tokio's builder to this one
//!
//! | `tokio::runtime::Builder` | [`Builder`] |
//! | --- | --- |
//! | `new_current_thread` | [`current_thread`] |
//! | `new_multi_thread` | [`multi_thread`] |
//! | `enable_all`, `enable_time` | always on |
//! | `enable_io` | on, unless it is turned off by [`io_driver`] |
//! | `worker_threads`, `max_blocking_threads` | the same; bad ones are errors, no panics |
//! | `thread_name`, `thread_name_fn` | the same |
//! | `thread_stack_size`, `thread_keep_alive` | the same |
//! | `on_thread_start`, `on_thread_stop` | the same |
//! | `on_thread_park`, `on_thread_unpark` | the same |
//! | `on_task_spawn`, `on_task_terminate` | the same, stable, of our tasks and actors |
//! | `event_interval` | the same |
//! | `global_queue_interval` | the same, of our scheduler's queue |
//! | `disable_lifo_slot` | [`lifo_runs`] of 0, of our scheduler |
//! | `rng_seed` | [`seed`], of our scheduler |
//! | `start_paused` | the same |
//! | `max_io_events_per_tick`, and all others | [`configure_tokio`] |
//!
//! Its `build` gives a [`Runtime`], whose `block_on`, `spawn`, `spawn_blocking`, `enter`, `handle`,
//! `metrics`, `shutdown_timeout` and `shutdown_background` are those of tokio's, with these
//! differences: `spawn` puts the future on our scheduler ([`Runtime::tokio_handle`] has tokio's),
//! metrics are of our scheduler, `shutdown_timeout` says what is left, and a runtime may be dropped
//! anywhere, also in async code.
//!
//! [`current_thread`]: Builder::current_thread
//! [`multi_thread`]: Builder::multi_thread
//! [`io_driver`]: Builder::io_driver
//! [`lifo_runs`]: Builder::lifo_runs
//! [`seed`]: Builder::seed
//! [`configure_tokio`]: Builder::configure_tokio

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

pub use super::builder::Builder;
pub use super::error::{AttachError, BuildError, NoRuntime, Refused};
use super::executor::{Executor, before_blocking};
pub use super::handle::{Handle, attach};
pub use super::hooks::{TaskKind, TaskMeta};
use super::host::tokio as host;
pub use super::metrics::{Metrics, UndeliveredMetrics, WorkerMetrics};
use super::options::Options;
use super::shutdown::shut_down;
pub use super::shutdown::{Shutdown, Straggler};
use super::threads::Threads;
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
/// # Shutdown
///
/// Dropping it cancels all tasks and actors, drops their futures and states on the workers, waits
/// for that, and then drops the tokio runtime, which waits for blocking jobs that have begun.
/// Where waiting is not allowed, which is in async code and on a thread of the runtime itself, it
/// does the same in the background; so it may be dropped anywhere. It waits in a blocking job or a
/// `block_in_place` of *another* runtime: two runtimes whose jobs drop each other wait for ever.
pub struct Runtime {
    /// There until the shutdown.
    host: Option<tokio::runtime::Runtime>,
    handle: Handle,
    threads: Arc<Threads>,
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

    pub(super) fn start(
        tokio: tokio::runtime::Runtime,
        options: &Options,
        threads: Arc<Threads>,
    ) -> Self {
        let shared = host::attach(tokio.handle(), host::Attach::Own(options))
            .unwrap_or_else(|_| unreachable!("nobody knew the runtime before"));
        Self {
            handle: Handle::new(Executor::from_shared(shared), tokio.handle().clone()),
            host: Some(tokio),
            threads,
        }
    }

    /// The tokio runtime. For greenroom-tokio.
    #[doc(hidden)]
    pub fn host(&self) -> &tokio::runtime::Runtime {
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
        before_blocking();
        self.host().block_on(future)
    }

    /// Spawns a task.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.handle.spawn(future)
    }

    /// Runs code that blocks: see [`Handle::spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, job: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.handle.spawn_blocking(job)
    }

    /// The handle of the scheduler.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// The handle of the tokio runtime.
    #[must_use]
    pub fn tokio_handle(&self) -> &tokio::runtime::Handle {
        self.handle.tokio_handle()
    }

    /// Enters the runtime: until the guard is dropped, what this thread spawns, tasks or actors,
    /// is spawned here. It does not drive the runtime.
    #[must_use = "the runtime is around only while the guard lives"]
    pub fn enter(&self) -> tokio::runtime::EnterGuard<'_> {
        self.handle.enter()
    }

    /// Reads the counters.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.handle.metrics()
    }

    /// Shuts down, but does not wait for longer than `limit`; says what was left then. Where
    /// waiting is not allowed it does not wait at all: see [`Runtime`].
    ///
    /// What is left runs on: polls and blocking jobs that return later are cleaned up then.
    pub fn shutdown_timeout(mut self, limit: Duration) -> Shutdown {
        self.shut_down(Some(limit));
        Shutdown::read(self.handle.executor().shared(), &self.threads)
    }

    /// Shuts down without waiting.
    pub fn shutdown_background(mut self) {
        self.shut_down(Some(Duration::ZERO));
    }

    fn shut_down(&mut self, limit: Option<Duration>) {
        if let Some(tokio) = self.host.take() {
            let shared = self.handle.executor().shared();
            shut_down(tokio, shared, &self.threads, limit);
        }
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
