//! What an actor was told from outside: why it is to end, and its signals.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use super::cell::{Head, lend};
use super::exit::ExitReason;
use super::identity::Identity;
use crate::ending::{Key, Order};
use crate::mailbox::Accepted;

/// Why an actor was told to end. Those from [`Cause::Linked`] on end it at once, a later one in
/// place of an earlier; of the others the first counts, but for one that was the actor's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Cause {
    None = 0,
    /// It stopped by itself.
    Finished = 1,
    Dropped = 2,
    /// It was told to stop.
    Stopped = 3,
    /// An actor that it was linked with ended.
    Linked = 4,
    Killed = 5,
    /// Its supervisor is done with it.
    Doomed = 6,
}

impl Cause {
    fn from_word(word: u8) -> Self {
        match word & CAUSE {
            1 => Self::Finished,
            2 => Self::Dropped,
            3 => Self::Stopped,
            4 => Self::Linked,
            5 => Self::Killed,
            6 => Self::Doomed,
            _ => Self::None,
        }
    }

    /// Whether it ends the actor without its stop hook.
    pub(super) fn is_kill(self) -> bool {
        self >= Self::Linked
    }

    fn replaces(self, old: Self) -> bool {
        let own = old == Self::Finished && self == Self::Stopped;
        old == Self::None || own || (self.is_kill() && self > old)
    }
}

const CAUSE: u8 = 0b111;
/// It is to begin no message.
const PAUSED: u8 = 1 << 3;
/// It was told to stop, or its last handle went: for good, also if something else ends it first.
const FOR_GOOD: u8 = 1 << 7;

/// What a supervisor says to an actor of its own, or somebody else for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Signal {
    /// Ends this incarnation after the handler that runs; the queue stays. The stop hook runs, with
    /// [`ExitReason::Restarted`], and then the overseer is asked.
    Halt = 1 << 4,
    /// As `Halt`, at the next await, and without the stop hook.
    HaltNow = 1 << 5,
    /// Begins the next incarnation, if the actor waits for one. Else it is ignored.
    Restart = 1 << 6,
}

const SIGNALS: u8 = Signal::Halt as u8 | Signal::HaltNow as u8 | Signal::Restart as u8;

/// A reading of what an actor was told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told(u8);

impl Told {
    pub(super) fn cause(self) -> Cause {
        Cause::from_word(self.0)
    }

    pub(super) fn is(self, signal: Signal) -> bool {
        self.0 & signal as u8 != 0
    }

    /// Whether its incarnation is to end.
    pub(super) fn is_halted(self) -> bool {
        self.is(Signal::Halt) || self.is(Signal::HaltNow)
    }

    /// Whether it must not live on, however it ends.
    pub(super) fn is_for_good(self) -> bool {
        self.0 & FOR_GOOD != 0 || self.cause() == Cause::Doomed
    }

    /// Whether it is to begin no message. What ends it ends that.
    pub(super) fn is_paused(self) -> bool {
        self.0 & PAUSED != 0 && self.cause() == Cause::None
    }
}

/// What an actor was told.
#[derive(Debug)]
pub(super) struct CauseCell(AtomicU8);

impl CauseCell {
    pub(super) fn none() -> Self {
        Self(AtomicU8::new(0))
    }

    pub(super) fn told(&self) -> Told {
        // Ordering: Acquire; pairs with the AcqRel of `update`.
        Told(self.0.load(Ordering::Acquire))
    }

    pub(super) fn get(&self) -> Cause {
        self.told().cause()
    }

    /// Replaces the word by a function of it; gives what it was.
    fn update(&self, new: impl Fn(u8) -> u8) -> Told {
        // Ordering: AcqRel; pairs with itself and with the Acquire of `told`: who acts on a word
        // sees what was done before it was written.
        let old = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(new(old)));
        Told(old.unwrap_or_else(|old| old))
    }

    fn set(&self, cause: Cause) -> Told {
        let for_good = match cause {
            Cause::Stopped | Cause::Dropped => FOR_GOOD,
            _ => 0,
        };
        self.update(|old| match cause.replaces(Cause::from_word(old)) {
            true => (old & !CAUSE) | cause as u8 | for_good,
            false => old | for_good,
        })
    }

    /// The runner has acted on a signal, or has no use for it.
    pub(super) fn clear(&self, signal: Signal) {
        self.update(|old| old & !(signal as u8));
    }

    /// What it was told; all its signals are heeded, or of no use any more.
    pub(super) fn take_signals(&self) -> Told {
        self.update(|old| old & !SIGNALS)
    }

    /// The actor goes on in spite of `judged`, unless it was told to end for another cause.
    #[must_use]
    pub(super) fn forgive(&self, judged: Cause) -> bool {
        let goes_on = |old: Told| old.cause() == judged && !old.is_for_good();
        let old = self.update(|old| match goes_on(Told(old)) {
            true => old & !CAUSE,
            false => old,
        });
        goes_on(old)
    }
}

impl Cause {
    fn reason(self, head: &Head) -> ExitReason {
        match self {
            // Nobody asked for it: what closes a mailbox then is the end of the runtime.
            Self::None => ExitReason::RuntimeGone,
            Self::Finished | Self::Stopped => ExitReason::Stopped,
            Self::Dropped => ExitReason::Dropped,
            Self::Linked => head.ending.foretold().unwrap_or(ExitReason::Killed),
            Self::Killed | Self::Doomed => ExitReason::Killed,
        }
    }
}

impl Head {
    /// How the actor ends of what it was told.
    pub(super) fn told_reason(&self) -> ExitReason {
        self.cause.get().reason(self)
    }

    /// Why the mailbox takes nothing: how the actor ends, or is about to.
    pub(crate) fn refusal(&self) -> ExitReason {
        let decided = self.ending.decided().cloned();
        decided.unwrap_or_else(|| self.told_reason())
    }

    /// Why a run that finds the unit cancelled ends the actor.
    pub(super) fn cancellation(&self) -> ExitReason {
        match self.cause.get().is_kill() {
            true => self.told_reason(),
            false => ExitReason::RuntimeGone,
        }
    }

    /// Has `farewell` called when the actor has ended, after its hooks have run, its state was
    /// dropped and its last messages were discarded, and before who joins is told. If that is past,
    /// refuses it, with the reason. See [`Ending::on_end`](crate::ending::Ending::on_end).
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
}

/// Closes the mailbox for a cause, and sees to it that the actor notices.
///
/// # Safety
///
/// - A count of the cell is held during the call.
pub(super) unsafe fn close(head: NonNull<Head>, cause: Cause) {
    // SAFETY: the caller.
    let (unit, cell) = unsafe { (lend(head), head.as_ref()) };
    if cause == Cause::Dropped && cell.cause.get() == Cause::Doomed {
        // Who is done with it drops its handle: that brings nothing that is not on its way.
        return;
    }
    let old = cell.cause.set(cause);
    // What looks at no messages looks at signals.
    let is_deaf = old.0 & PAUSED != 0 || cell.life().is_some();
    if cell.mailbox.close() == Accepted::Notify {
        match cause {
            // Whoever waits for the end, by a weak handle, waits for the drop of others first.
            Cause::Dropped => unit.notify_calmly(),
            _ => unit.notify(),
        }
    }
    if cause.is_kill() || is_deaf {
        // After the mailbox has closed: an actor that was judged just before opens it again.
        unit.signal();
    }
}

/// Has an incarnation end after the handler that runs, by itself. The mailbox stays as it is.
///
/// # Safety
///
/// - A count of the cell is held during the call.
pub(super) unsafe fn finish(head: NonNull<Head>) {
    // SAFETY: the caller.
    unsafe {
        head.as_ref().cause.set(Cause::Finished);
        signal(head, Signal::Halt);
    }
}

/// Sends a signal.
///
/// # Safety
///
/// - A count of the cell is held during the call.
pub(super) unsafe fn signal(head: NonNull<Head>, signal: Signal) {
    // SAFETY: the caller.
    let (unit, cell) = unsafe { (lend(head), head.as_ref()) };
    // What halts the incarnation that this begins comes after it.
    let void = match signal {
        Signal::Restart => Signal::Halt as u8 | Signal::HaltNow as u8,
        Signal::Halt | Signal::HaltNow => 0,
    };
    cell.cause.update(|old| (old & !void) | signal as u8);
    unit.signal();
}

/// Has the actor begin no message, or go on.
///
/// # Safety
///
/// - A count of the cell is held during the call.
pub(super) unsafe fn set_paused(head: NonNull<Head>, is_paused: bool) {
    // SAFETY: the caller.
    let (unit, cell) = unsafe { (lend(head), head.as_ref()) };
    let bit = if is_paused { PAUSED } else { 0 };
    let old = cell.cause.update(|old| (old & !PAUSED) | bit);
    if old.0 & PAUSED != bit {
        unit.signal();
    }
}
