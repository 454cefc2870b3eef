//! A handle to a scheduler and its runtime.

use std::fmt;
use std::future::Future;
use std::panic::Location;

use tokio::runtime::{EnterGuard, Handle as TokioHandle, Id, RuntimeFlavor};

use super::blocking::spawn_on;
use super::error::{AttachError, NoRuntime, Refused};
use super::executor::{Executor, before_blocking};
use super::host::tokio::{Attach, OtherOptions, attach as attach_host};
use super::metrics::Metrics;
use crate::task::{JoinHandle, is_large};

/// Attaches a scheduler to a tokio runtime, or finds the one that is there.
///
/// Seldom needed: the first spawn inside a runtime does the same. To choose options, see
/// [`Builder::attach`](super::runtime::Builder::attach).
///
/// The scheduler ends when tokio drops the runtime's tasks, and as those do: all tasks and actors
/// are cancelled, and each future and state is dropped before the runtime's drop returns. Only what
/// another thread is waking at that very moment may be dropped there, right after.
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
pub fn attach(runtime: &TokioHandle) -> Result<Handle, AttachError> {
    match attach_host(runtime, Attach::Any) {
        Ok(shared) => Ok(Handle::new(Executor::from_shared(shared), runtime.clone())),
        Err(OtherOptions(name)) => Err(AttachError::already_attached(name)),
    }
}

/// A counted reference to a scheduler and its tokio runtime. Like tokio's own handles it keeps
/// neither running: after the runtime's end, what it spawns is cancelled.
#[derive(Clone)]
pub struct Handle {
    executor: Executor,
    tokio: TokioHandle,
}

impl Handle {
    pub(super) fn new(executor: Executor, tokio: TokioHandle) -> Self {
        Self { executor, tokio }
    }

    pub(crate) fn executor(&self) -> &Executor {
        &self.executor
    }

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
        let tokio = TokioHandle::try_current().map_err(|_| NoRuntime)?;
        Ok(Self::new(Executor::current()?, tokio))
    }

    /// Spawns a task. If the runtime is shutting down, the handle says that it was cancelled.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        if is_large::<F>() {
            self.executor.spawn(Box::pin(future), Location::caller())
        } else {
            self.executor.spawn(future, Location::caller())
        }
    }

    /// Spawns a task, unless the runtime is shutting down.
    ///
    /// ```
    /// # fn main() -> Result<(), greenroom::Error> {
    /// let runtime = greenroom::Runtime::new()?;
    /// let handle = runtime.handle().clone();
    /// drop(runtime);
    /// let refused = handle.try_spawn(std::future::ready(5)).expect_err("it has ended");
    /// assert_eq!(refused.into_inner().into_inner(), 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// If the runtime is shutting down, with the future that was not spawned.
    #[track_caller]
    pub fn try_spawn<F>(&self, future: F) -> Result<JoinHandle<F::Output>, Refused<F>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.executor
            .try_spawn(future, Location::caller())
            .map_err(Refused::new)
    }

    /// Runs code that blocks, on a thread of tokio's pool for such jobs: see
    /// [`spawn_blocking`](crate::spawn_blocking).
    ///
    /// If the runtime is shutting down, the job does not run and the handle says that it was
    /// cancelled.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, job: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        spawn_on(&self.tokio, job, ())
    }

    /// Runs a future to its end on this thread, inside the runtime.
    ///
    /// On a current-thread runtime only [`Runtime::block_on`](super::runtime::Runtime::block_on)
    /// runs tasks and drivers: without it, a future that waits for one of them waits here.
    ///
    /// # Panics
    ///
    /// In async code, as tokio's `block_on`; if the future panics; and if the future uses timers or
    /// sockets after the runtime's end.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        before_blocking();
        self.tokio.block_on(future)
    }

    /// Enters the runtime: until the guard is dropped, what this thread spawns, tasks or actors,
    /// is spawned there. It does not drive the runtime.
    #[must_use = "the runtime is around only while the guard lives"]
    pub fn enter(&self) -> EnterGuard<'_> {
        self.tokio.enter()
    }

    /// Which kind of tokio runtime it is.
    #[must_use]
    pub fn runtime_flavor(&self) -> RuntimeFlavor {
        self.tokio.runtime_flavor()
    }

    /// The identity of the tokio runtime, unique in the process.
    #[must_use]
    pub fn id(&self) -> Id {
        self.tokio.id()
    }

    /// The handle of the tokio runtime.
    #[must_use]
    pub fn tokio_handle(&self) -> &TokioHandle {
        &self.tokio
    }

    /// Whether the runtime is shutting down, or has.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.executor.is_closed()
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
        let shared = self.executor.shared();
        Metrics::read(shared.core(), shared.losses())
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("id", &self.id())
            .field("workers", &self.executor.shared().core().workers())
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
