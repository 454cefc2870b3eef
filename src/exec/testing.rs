//! Units for the tests of this folder: tasks that leave their number in a log.

use std::sync::{Arc, Mutex};

use crate::id::Id;
use crate::task::{Header, Schedule, Unit, new_task};

/// A scheduler that runs nothing: what is queued there is given up.
pub(super) struct Nowhere;

impl Schedule for Nowhere {
    fn schedule(&self, unit: Unit) {
        drop(unit);
    }

    fn schedule_yielded(&self, unit: Unit) {
        drop(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        drop(unit);
    }

    fn unbind(&self, _header: &Header) -> Option<Unit> {
        None
    }
}

/// What ran, in order.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<usize>>>);

impl Log {
    /// A unit that leaves `number` here when it is run.
    pub(super) fn unit(&self, number: usize) -> Unit {
        let log = self.clone();
        let note = async move { log.0.lock().unwrap().push(number) };
        new_task(note, Arc::new(Nowhere), Id::next()).0
    }

    pub(super) fn take(&self) -> Vec<usize> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Tasks made and not freed, plus this log itself.
    pub(super) fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}
