//! An executor, as units and their makers see it.

use std::sync::Arc;

use super::error::NoRuntime;
use super::hooks::TaskMeta;
use super::host::tokio::{self as host, Shared};
use super::owned::Closed;
use crate::task::{Extension, Header, Schedule, Unit};

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

    /// The executor of the current runtime. The first call inside a runtime attaches one.
    pub(crate) fn current() -> Result<Self, NoRuntime> {
        Self::with_current(Self::clone)
    }

    /// As [`Executor::current`]; in a unit without counting the executor.
    pub(crate) fn with_current<R>(f: impl FnOnce(&Self) -> R) -> Result<R, NoRuntime> {
        host::with_current(|frame| {
            // A unit's code may have entered another runtime: then that one is around.
            match frame.filter(|frame| frame.executor.0.is_around()) {
                Some(frame) => Ok(f(frame.executor)),
                None => Ok(f(&Self(host::current().ok_or(NoRuntime)?))),
            }
        })
    }

    /// Adds the unit to the executor's list, with a count of its own.
    ///
    /// The hooks hear of it first, so that they never hear of an end before the spawn.
    pub(crate) fn bind(&self, unit: &Unit) -> Result<(), Closed> {
        let hooks = &self.0.options().hooks;
        hooks.spawned(|| TaskMeta::of(unit));
        let bound = self.0.core().owned().bind(unit);
        if bound.is_err() {
            hooks.terminated(|| TaskMeta::of(unit));
        }
        bound
    }

    /// The seam that units of this executor are made with.
    pub(crate) fn scheduler(&self) -> Arc<dyn Schedule> {
        self.0.scheduler()
    }

    /// What it has of this type for floors above.
    pub(crate) fn extension<T: Extension + Default>(&self) -> Arc<T> {
        self.0.extensions.get()
    }

    /// Counts of the actors that live on it, as they were found one after the other.
    pub(crate) fn actors(&self) -> Vec<Unit> {
        let owned = self.0.core().owned();
        owned.some(usize::MAX, Header::is_actor)
    }

    /// Whether the executor is ending: its units are being cancelled, and none is taken.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closing()
    }

    /// The seed of its choices, if it has one.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.0.options().seed
    }

    /// Messages that an actor may handle per activation.
    pub(crate) fn messages_per_activation(&self) -> usize {
        self.0.options().messages_per_activation
    }
}

/// Called by a unit whose thread is about to block: others find at once what it has woken.
pub(crate) fn before_blocking() {
    host::with_current(|frame| {
        if let Some(frame) = frame
            && let Some(local) = &*frame.half.borrow()
        {
            let shared = frame.executor.shared();
            shared.core().slot(local).current.set_blocks();
            shared.core().before_blocking(local, &**shared);
        }
    });
}
