//! The right to abort a task, without a claim on its output.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::join::describe;
use super::unit::Unit;
use crate::id::Id;

/// Aborts a task from elsewhere.
///
/// Any number may exist beside the [`JoinHandle`](super::JoinHandle). It keeps the task's
/// allocation, not its future or output. Dropping it does nothing to the task.
#[derive(Clone)]
pub struct AbortHandle(Unit);

impl UnwindSafe for AbortHandle {}
impl RefUnwindSafe for AbortHandle {}

impl AbortHandle {
    pub(super) fn new(unit: Unit) -> Self {
        Self(unit)
    }

    /// Asks the task to end at its current await, as
    /// [`JoinHandle::abort`](super::JoinHandle::abort) does.
    pub fn abort(&self) {
        self.0.cancel();
    }

    /// Whether the task has ended and its future is gone. False for a while after an abort.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.header().state.load().is_complete()
    }

    /// Which task it is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.header().id()
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(f, "AbortHandle", &self.0)
    }
}
