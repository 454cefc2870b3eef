//! The word that says where a unit stands. This file owns it: the outside sees transitions.
//!
//! | phase | bits | who may touch the unit's contents |
//! | --- | --- | --- |
//! | idle | none | nobody |
//! | scheduled | SCHEDULED | nobody; one `Unit` stands in a run queue |
//! | running | RUNNING | the runner |
//! | running, notified | RUNNING + SCHEDULED | the runner; it queues the unit again at the end |
//! | complete | COMPLETE | whoever the kind says (a task's output), else nobody |
//!
//! CANCELLED may stand beside any phase: the next activation drops what is suspended. So may
//! SIGNAL, which is of actors: the next activation looks at what its actor was told. JOINED and
//! WAKER belong to tasks (see `task::trunk`). BACKGROUND is set at birth or never. Counts stand
//! above the flags.
//!
//! All transitions are read-modify-writes on one word, so they are totally ordered; acquiring
//! RUNNING has Acquire and giving it up has Release, so that each runner sees what the last did.

mod outcome;

pub(crate) use outcome::{End, Leave, Notify, Offer, Pause};

use crate::sync::atomic::{AtomicUsize, Ordering, fence};

const SCHEDULED: usize = 1 << 0;
const RUNNING: usize = 1 << 1;
const COMPLETE: usize = 1 << 2;
const CANCELLED: usize = 1 << 3;
const JOINED: usize = 1 << 4;
const WAKER: usize = 1 << 5;
const BACKGROUND: usize = 1 << 6;
const SIGNAL: usize = 1 << 7;
const COUNT_SHIFT: u32 = 8;
const COUNT: usize = 1 << COUNT_SHIFT;
const FLAGS: usize = COUNT - 1;

const _: () = assert!(
    (SCHEDULED | RUNNING | COMPLETE | CANCELLED | JOINED | WAKER | BACKGROUND | SIGNAL) & !FLAGS
        == 0,
    "flags and counts must not overlap"
);

/// A reading of the word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot(usize);

impl Snapshot {
    pub(crate) fn is_scheduled(self) -> bool {
        self.0 & SCHEDULED != 0
    }
    #[cfg(not(greenroom_loom))]
    pub(crate) fn is_running(self) -> bool {
        self.0 & RUNNING != 0
    }
    pub(crate) fn is_complete(self) -> bool {
        self.0 & COMPLETE != 0
    }
    pub(crate) fn is_cancelled(self) -> bool {
        self.0 & CANCELLED != 0
    }
    /// Whether it is cancelled, or was sent a signal.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn is_marked(self) -> bool {
        self.0 & (CANCELLED | SIGNAL) != 0
    }
    pub(crate) fn is_joined(self) -> bool {
        self.0 & JOINED != 0
    }
    pub(crate) fn has_waker(self) -> bool {
        self.0 & WAKER != 0
    }
    pub(crate) fn is_background(self) -> bool {
        self.0 & BACKGROUND != 0
    }
    pub(crate) fn counts(self) -> usize {
        self.0 >> COUNT_SHIFT
    }
}

/// The word itself.
#[derive(Debug)]
pub(crate) struct State(AtomicUsize);

impl State {
    /// An idle unit with `counts` references.
    pub(crate) fn idle(counts: usize) -> Self {
        Self(AtomicUsize::new(counts << COUNT_SHIFT))
    }

    /// A unit that is about to be queued for the first time.
    pub(crate) fn scheduled(counts: usize) -> Self {
        Self(AtomicUsize::new((counts << COUNT_SHIFT) | SCHEDULED))
    }

    /// As [`State::scheduled`], with somebody interested in its output.
    pub(crate) fn scheduled_joined(counts: usize, background: bool) -> Self {
        let background = if background { BACKGROUND } else { 0 };
        Self(AtomicUsize::new(
            (counts << COUNT_SHIFT) | SCHEDULED | JOINED | background,
        ))
    }

    pub(crate) fn load(&self) -> Snapshot {
        // Ordering: Acquire; pairs with the Release of `update` and `complete`.
        Snapshot(self.0.load(Ordering::Acquire))
    }

    /// Adds a count. The caller holds one already.
    pub(crate) fn retain(&self) {
        // Ordering: Relaxed; a new count is made from one that is held.
        let old = self.0.fetch_add(COUNT, Ordering::Relaxed);
        if old > usize::MAX / 2 {
            // A count that wraps would free a live unit, and a panic could be caught and repeated.
            std::process::abort();
        }
    }

    /// Gives a count back; true for the last one.
    #[must_use]
    pub(crate) fn release(&self) -> bool {
        self.release_many(1)
    }

    /// Gives several counts back at once; true if the last was among them.
    #[must_use]
    pub(crate) fn release_many(&self, counts: usize) -> bool {
        // Ordering: Release; pairs with the Acquire fence of whoever releases last.
        let old = self.0.fetch_sub(counts * COUNT, Ordering::Release);
        debug_assert!(old >> COUNT_SHIFT >= counts, "a count was given back twice");
        if old >> COUNT_SHIFT != counts {
            return false;
        }
        // Ordering: Acquire; pairs with the Release of all who gave their counts back before.
        fence(Ordering::Acquire);
        true
    }

    /// Marks the unit runnable. With [`Notify::Queue`] a count is added for the queue.
    pub(crate) fn notify(&self) -> Notify {
        self.mark(0).1
    }

    /// As [`State::notify`], and marks the unit cancelled; says whether it was not so before.
    pub(crate) fn cancel(&self) -> (bool, Notify) {
        let (old, notify) = self.mark(CANCELLED);
        (old.0 & (CANCELLED | COMPLETE) == 0, notify)
    }

    /// As [`State::notify`], and has the next activation look at what the actor was told.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn signal(&self) -> Notify {
        self.mark(SIGNAL).1
    }

    /// The runner of a marked unit is about to look.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn take_signal(&self) -> Snapshot {
        self.update(|word| word & !SIGNAL)
    }

    fn mark(&self, also: usize) -> (Snapshot, Notify) {
        // On a complete unit the bit is set in vain: nobody queues it, nobody reads it again.
        let mark = |word: usize| {
            let idle = word & (SCHEDULED | RUNNING | COMPLETE) == 0;
            let count = if idle { COUNT } else { 0 };
            (word | SCHEDULED | also) + count
        };
        let old = self.update(mark);
        let notify = if old.0 & (SCHEDULED | RUNNING | COMPLETE) != 0 {
            Notify::Nothing
        } else if old.is_background() {
            Notify::QueueBackground
        } else {
            Notify::Queue
        };
        (old, notify)
    }

    /// Replaces the word by a function of it; gives what it was.
    #[inline]
    fn update(&self, new: impl Fn(usize) -> usize) -> Snapshot {
        // Ordering: Relaxed; the exchange below validates what was read.
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            // Ordering: Release; pairs with the Acquire of every later transition, above all of
            // `begin`, so that the run sees what a notifier wrote before it notified, also where
            // the notification merges into another. Acquire; pairs with the Release of every
            // earlier one, so that rights which the transition gives come with their contents.
            match self
                .0
                .compare_exchange_weak(word, new(word), Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => return Snapshot(word),
                Err(now) => word = now,
            }
        }
    }

    /// Takes the run right of a scheduled unit.
    pub(crate) fn begin(&self) -> Snapshot {
        // SCHEDULED -> RUNNING. Only the holder of the queued `Unit` comes here (U3), so the
        // exchange of the two bits needs no loop.
        // Ordering: Acquire; pairs with the Release of `notify` and of the last `end` or `pause`.
        let old = self.0.fetch_xor(SCHEDULED | RUNNING, Ordering::AcqRel);
        debug_assert!(
            old & (SCHEDULED | RUNNING | COMPLETE) == SCHEDULED,
            "begin without a queue entry"
        );
        Snapshot(old ^ (SCHEDULED | RUNNING))
    }

    /// The runner takes a notification back, and looks next at whatever may be behind it.
    pub(crate) fn acknowledge(&self) -> Snapshot {
        // Ordering: AcqRel; as in `update`.
        Snapshot(self.0.fetch_and(!SCHEDULED, Ordering::AcqRel) & !SCHEDULED)
    }

    /// Takes the run right of an idle unit past the run queues, with a count for the runner.
    #[inline]
    pub(crate) fn try_begin(&self) -> bool {
        // Ordering: Relaxed; the exchange validates what was read.
        let mut word = self.0.load(Ordering::Relaxed);
        while word & (SCHEDULED | RUNNING | COMPLETE | CANCELLED | SIGNAL) == 0 {
            // Ordering: Acquire; pairs with the Release of the last `end`.
            match self.0.compare_exchange_weak(
                word,
                (word | RUNNING) + COUNT,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Gives the run right back, and the runner's count unless it goes back to the queue.
    #[inline]
    pub(crate) fn end(&self) -> End {
        let old = self.update(|word| match word & SCHEDULED {
            0 => (word & !RUNNING) - COUNT,
            _ => word & !RUNNING,
        });
        debug_assert!(
            old.0 & (RUNNING | COMPLETE) == RUNNING && old.counts() > 0,
            "end without the run right"
        );
        if old.is_scheduled() {
            End::Again
        } else if old.counts() == 1 {
            End::Last
        } else {
            End::Idle
        }
    }

    /// Gives the run right of a task back, unless it was cancelled meanwhile.
    pub(crate) fn pause(&self) -> Pause {
        let old = self.update(|word| match word & (CANCELLED | SCHEDULED) {
            0 => (word & !RUNNING) - COUNT,
            SCHEDULED => (word & !RUNNING) + COUNT,
            _ => word,
        });
        debug_assert!(
            old.0 & (RUNNING | COMPLETE) == RUNNING && old.counts() > 0,
            "pause without the run right"
        );
        if old.is_cancelled() {
            Pause::Cancelled
        } else if old.is_scheduled() && old.is_background() {
            Pause::AgainBackground
        } else if old.is_scheduled() {
            Pause::Again
        } else if old.counts() == 1 {
            Pause::Last
        } else {
            Pause::Idle
        }
    }

    /// Ends the last run: RUNNING becomes COMPLETE, and notifications fall on deaf ears.
    pub(crate) fn complete(&self) -> Snapshot {
        // Ordering: Release; pairs with the Acquire of whoever reads COMPLETE.
        let old = self.0.fetch_xor(RUNNING | COMPLETE, Ordering::AcqRel);
        debug_assert!(
            old & (RUNNING | COMPLETE) == RUNNING,
            "complete without the run right"
        );
        Snapshot(old ^ (RUNNING | COMPLETE))
    }

    /// Hands the waker's field to the runner, full.
    pub(crate) fn offer_waker(&self) -> Offer {
        self.unless_complete(|word| word | WAKER)
    }

    /// Takes the waker's field back from the runner.
    pub(crate) fn withdraw_waker(&self) -> Offer {
        self.unless_complete(|word| word & !WAKER)
    }

    fn unless_complete(&self, new: impl Fn(usize) -> usize) -> Offer {
        let old = self.update(|word| {
            if word & COMPLETE == 0 {
                new(word)
            } else {
                word
            }
        });
        debug_assert!(old.is_joined(), "the join handle's right without its claim");
        if old.is_complete() {
            Offer::Complete
        } else {
            Offer::Made
        }
    }

    /// The runner has used the waker; true if it is the runner's to drop.
    #[must_use]
    pub(crate) fn retire_waker(&self) -> bool {
        let old = self.update(|word| word & !WAKER);
        debug_assert!(old.is_complete() && old.has_waker(), "no waker was used");
        !old.is_joined()
    }

    /// The join handle has read the output and gives up its claim; true if the waker's field is
    /// its to clear.
    #[must_use]
    pub(crate) fn settle(&self) -> bool {
        let old = self.update(|word| word & !JOINED);
        debug_assert!(old.is_complete() && old.is_joined(), "no output was read");
        !old.has_waker()
    }

    /// The join handle goes away.
    pub(crate) fn leave(&self) -> Leave {
        // Settled, or neither output nor waker exists: the count may go in the same step.
        let empty = |word: usize| word & JOINED == 0 || word & (COMPLETE | WAKER) == 0;
        let old = self.update(|word| match word & COMPLETE {
            _ if empty(word) => (word & !JOINED) - COUNT,
            0 => word & !(JOINED | WAKER),
            _ => word & !JOINED,
        });
        debug_assert!(old.counts() > 0, "a join handle without a count");
        if !empty(old.0) {
            Leave::Owns {
                output: old.is_complete(),
                waker: !(old.is_complete() && old.has_waker()),
            }
        } else if old.counts() == 1 {
            Leave::Last
        } else {
            Leave::Gone
        }
    }
}
