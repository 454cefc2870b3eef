//! Whose reply it is: a count of an actor's cell, kept for what an error has to say.

use super::cell::Head;
use super::error::Interrupted;
use super::exit::ExitReason;
use super::identity::Identity;
use super::waits::Errand;
use crate::task::Unit;

/// Keeps the cell, and not the actor from its end.
pub struct Origin {
    unit: Unit,
    message: fn() -> &'static str,
}

impl Origin {
    /// `unit` is an actor's, `message` the type of what it was asked.
    pub(super) fn new(unit: Unit, message: fn() -> &'static str) -> Self {
        debug_assert!(unit.header().is_actor());
        Self { unit, message }
    }

    pub(super) fn errand(&self) -> Errand<'_> {
        Errand {
            target: self.head(),
            message: self.message,
        }
    }

    fn head(&self) -> &Head {
        // SAFETY: the unit is a cell's, and a count of it.
        unsafe { self.unit.as_raw().cast::<Head>().as_ref() }
    }

    /// Why the actor ends, once that is decided.
    pub(super) fn end(&self) -> Option<ExitReason> {
        self.head().ending.decided().cloned()
    }

    /// Waits for the actor's end.
    pub(super) async fn wait(&self) {
        self.head().ending.wait().await;
    }

    pub(super) fn interrupted(&self) -> Interrupted {
        Interrupted::new(self.identity(), self.end())
    }

    pub(super) fn note_late_reply(&self) {
        self.head().note_late_reply(self.message);
    }

    pub(super) fn identity(&self) -> Identity {
        self.head().identity()
    }
}
