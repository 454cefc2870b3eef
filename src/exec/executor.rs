//! An executor, as units and their makers see it.

use std::future::Future;
use std::sync::Arc;

use super::error::NoRuntime;
use super::host::tokio::{self as host, Shared};
use super::owned::Closed;
use crate::id::Id;
use crate::task::{JoinHandle, Schedule, Unit, new_task};

/// A counted reference to an executor. It keeps no runtime alive.
#[derive(Clone)]
pub(crate) struct Executor(Arc<Shared>);

impl Executor {
    pub(super) fn from_shared(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// The executor of the runtime around. The first call inside a runtime attaches one.
    pub(crate) fn current() -> Result<Self, NoRuntime> {
        // A unit may have entered another runtime: then that one is around.
        let frame = host::with_current(|frame| frame.map(|frame| Arc::clone(frame.shared)));
        frame
            .filter(|shared| shared.is_around())
            .or_else(host::current)
            .map(Self)
            .ok_or(NoRuntime)
    }

    /// Whether this thread is inside the executor's runtime: in one of its units, or in another
    /// task of the host.
    pub(crate) fn is_current(&self) -> bool {
        let polled =
            host::with_current(|frame| frame.map(|frame| Arc::ptr_eq(frame.shared, &self.0)));
        polled.unwrap_or_else(|| self.0.is_around())
    }

    /// Adds the unit to the executor's list, with a count of its own.
    pub(crate) fn bind(&self, unit: &Unit) -> Result<(), Closed> {
        self.0.core().owned().bind(unit)
    }

    /// The seam that units of this executor are made with.
    pub(crate) fn scheduler(&self) -> Arc<dyn Schedule> {
        self.0.scheduler()
    }

    /// Whether the executor is ending: its units are being cancelled, and none is taken.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closing()
    }

    /// Messages that an actor may handle per activation.
    pub(crate) fn messages_per_activation(&self) -> usize {
        self.0.options().messages_per_activation
    }

    /// Spawns a task. After the end its handle says at once that it was cancelled.
    pub(crate) fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (unit, handle) = new_task(future, self.scheduler(), Id::next());
        match self.bind(&unit) {
            Ok(()) => self.0.schedule(unit),
            Err(Closed) => unit.refuse(),
        }
        handle
    }
}

/// Whether the executor whose unit runs on this thread is ending.
pub(crate) fn is_closing() -> bool {
    host::with_current(|frame| frame.is_some_and(|frame| frame.shared.is_closing()))
}
