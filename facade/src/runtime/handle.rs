//! A handle to a runtime and the scheduler on it.

use std::future::Future;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};

use greenroom::JoinHandle;
use tokio::runtime::TryCurrentError;

use super::RuntimeMetrics;

/// A handle to a runtime: what tokio's [`Handle`](tokio::runtime::Handle) has, and spawning goes to
/// greenroom's scheduler.
///
/// It derefs to tokio's, so that `&handle` will do where a library wants a
/// `&tokio::runtime::Handle`; where it wants one by value, `handle.into()` gives it. The other way
/// [`Handle::from`] takes tokio's, and puts the scheduler on its runtime.
#[derive(Debug, Clone)]
pub struct Handle(greenroom::runtime::Handle);

impl Handle {
    pub(super) fn new(scheduler: greenroom::runtime::Handle) -> Self {
        Self(scheduler)
    }

    pub(crate) fn scheduler(&self) -> &greenroom::runtime::Handle {
        &self.0
    }

    /// The handle of the runtime around.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[must_use]
    #[track_caller]
    pub fn current() -> Self {
        tokio::runtime::Handle::current().into()
    }

    /// As [`Handle::current`], without the panic.
    ///
    /// # Errors
    ///
    /// Outside a runtime.
    pub fn try_current() -> Result<Self, TryCurrentError> {
        tokio::runtime::Handle::try_current().map(Self::from)
    }

    /// Spawns a task on the scheduler.
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.spawn(future)
    }

    /// Runs a function on a thread where it may block.
    #[track_caller]
    pub fn spawn_blocking<F, R>(&self, func: F) -> JoinHandle<R>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        self.0.spawn_blocking(func)
    }

    /// Runs a future to its end on this thread, inside the runtime. On a current-thread runtime
    /// it does not run tasks and drivers; [`Runtime`](super::Runtime)'s does.
    ///
    /// # Panics
    ///
    /// In async code, and if the future panics.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }

    /// The counters of the runtime and the scheduler.
    #[must_use]
    pub fn metrics(&self) -> RuntimeMetrics {
        RuntimeMetrics::new(self.0.clone())
    }
}

// As tokio's: tasks contain their panics, and no lock is held while user code runs.
impl UnwindSafe for Handle {}
impl RefUnwindSafe for Handle {}

impl Deref for Handle {
    type Target = tokio::runtime::Handle;

    fn deref(&self) -> &Self::Target {
        self.0.tokio_handle()
    }
}

/// Puts the scheduler on the runtime, unless it is there.
impl From<tokio::runtime::Handle> for Handle {
    fn from(tokio: tokio::runtime::Handle) -> Self {
        match greenroom::runtime::attach(&tokio) {
            Ok(scheduler) => Self(scheduler),
            Err(error) => unreachable!("a scheduler with any options will do: {error}"),
        }
    }
}

impl From<Handle> for tokio::runtime::Handle {
    fn from(handle: Handle) -> Self {
        handle.0.tokio_handle().clone()
    }
}
