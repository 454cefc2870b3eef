//! A handle to a scheduler.

use std::fmt;
use std::future::Future;

use super::error::{AttachError, NoRuntime, Refused};
use super::executor::Executor;
use super::host::tokio::{Attach, attach as attach_host};
use super::metrics::Metrics;
use crate::task::JoinHandle;

/// Attaches a scheduler to a tokio runtime, or finds the one that is there.
///
/// Seldom needed: the first spawn inside a runtime does the same. To choose options, see
/// [`Builder::attach`](super::runtime::Builder::attach).
///
/// ```
/// # fn main() -> Result<(), greenroom::Error> {
/// let host = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// let scheduler = greenroom::runtime::attach(host.handle())?;
/// let task = scheduler.spawn(async { 6 * 7 }); // from outside the runtime
/// assert_eq!(host.block_on(task)?, 42);
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// None at present; callers should not rely on it.
pub fn attach(runtime: &tokio::runtime::Handle) -> Result<Handle, AttachError> {
    match attach_host(runtime, Attach::Any) {
        Ok(shared) => Ok(Handle(Executor::from_shared(shared))),
        Err(_) => Err(AttachError::ALREADY_ATTACHED),
    }
}

/// A counted reference to a scheduler. It does not keep the runtime alive.
#[derive(Clone)]
pub struct Handle(pub(super) Executor);

impl Handle {
    /// The scheduler of the current tokio runtime; attaches one if there is none yet.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        match Self::try_current() {
            Ok(handle) => handle,
            Err(error) => panic!("Handle::current: {error}"),
        }
    }

    /// As [`Handle::current`], without the panic.
    ///
    /// # Errors
    ///
    /// Outside a tokio runtime.
    pub fn try_current() -> Result<Self, NoRuntime> {
        Executor::current().map(Self)
    }

    /// Spawns a task. If the runtime is shutting down, the handle says that it was cancelled.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.spawn(future)
    }

    /// Spawns a task, unless the runtime is shutting down.
    ///
    /// # Errors
    ///
    /// If the runtime is shutting down, with the future that was not spawned.
    pub fn try_spawn<F>(&self, future: F) -> Result<JoinHandle<F::Output>, Refused<F>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        if self.is_closed() {
            Err(Refused(future))
        } else {
            Ok(self.spawn(future))
        }
    }

    /// Whether the runtime is shutting down, or has.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Reads the counters.
    ///
    /// ```
    /// # #[tokio::main] async fn main() {
    /// let metrics = greenroom::runtime::Handle::current().metrics();
    /// let polls: u64 = metrics.workers.iter().map(|worker| worker.polls).sum();
    /// println!("{} tasks and actors live, {polls} polls so far", metrics.live);
    /// # }
    /// ```
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        Metrics::read(self.0.shared().core())
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("workers", &self.0.shared().core().workers())
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
