//! Why an actor is to end, before it has; and who is told when it has.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use super::cell::{Head, lend};
use super::exit::ExitReason;
use super::identity::Identity;
use crate::ending::{Key, Order};
use crate::mailbox::Accepted;

/// Why a mailbox was closed, before the actor has ended of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Cause {
    None = 0,
    Stopped = 1,
    Dropped = 2,
    Killed = 3,
}

impl Cause {
    fn from_u8(raw: u8) -> Self {
        match raw {
            1 => Self::Stopped,
            2 => Self::Dropped,
            3 => Self::Killed,
            _ => Self::None,
        }
    }

    pub(super) fn reason(self) -> ExitReason {
        match self {
            // Nobody asked for it: what closes a mailbox then is the end of the runtime.
            Self::None => ExitReason::RuntimeGone,
            Self::Stopped => ExitReason::Stopped,
            Self::Dropped => ExitReason::Dropped,
            Self::Killed => ExitReason::Killed,
        }
    }
}

/// The cause of an actor's end, once there is one.
#[derive(Debug)]
pub(super) struct CauseCell(AtomicU8);

impl CauseCell {
    pub(super) fn none() -> Self {
        Self(AtomicU8::new(Cause::None as u8))
    }

    pub(super) fn get(&self) -> Cause {
        // Ordering: Acquire; pairs with the AcqRel of `set`.
        Cause::from_u8(self.0.load(Ordering::Acquire))
    }

    /// The first that asks wins, but a kill overrides.
    fn set(&self, cause: Cause) {
        let _ = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| {
                (old == Cause::None as u8 || cause == Cause::Killed).then_some(cause as u8)
            });
    }
}

impl Head {
    /// Why the mailbox takes nothing: how the actor ends, or is about to.
    pub(crate) fn refusal(&self) -> ExitReason {
        let decided = self.ending.decided().cloned();
        decided.unwrap_or_else(|| self.cause.get().reason())
    }

    /// Has `farewell` called when the actor has ended, after its hooks have run, its state was
    /// dropped and its last messages were discarded, and before who joins is told. If that is past,
    /// refuses it, with the reason. See [`Ending::on_end`].
    pub(crate) fn on_end(
        &self,
        order: Order,
        farewell: impl FnOnce(&Identity, &ExitReason) + Send + 'static,
    ) -> Result<Key, ExitReason> {
        self.ending.on_end(order, farewell)
    }

    /// Takes a farewell back. False if it was said, or is being said.
    pub(crate) fn take_back(&self, key: Key) -> bool {
        self.ending.take_back(key).is_some()
    }

    /// Why a run that finds the unit cancelled ends the actor.
    pub(super) fn cancellation(&self) -> ExitReason {
        match self.cause.get() {
            Cause::Killed => ExitReason::Killed,
            _ => ExitReason::RuntimeGone,
        }
    }
}

/// Closes the mailbox for a cause, and sees to it that the actor notices.
///
/// # Safety
///
/// - A count of the cell is held during the call.
pub(super) unsafe fn close(head: NonNull<Head>, cause: Cause) {
    // SAFETY: the caller.
    let (unit, cell) = unsafe { (lend(head), head.as_ref()) };
    cell.cause.set(cause);
    if cause == Cause::Killed {
        // Before the mailbox closes: an actor that finds it closed finds itself cancelled too.
        unit.cancel();
    }
    if cell.mailbox.close() == Accepted::Notify {
        match cause {
            // Whoever waits for the end, by a weak handle, waits for the drop of others first.
            Cause::Dropped => unit.notify_calmly(),
            _ => unit.notify(),
        }
    }
}
