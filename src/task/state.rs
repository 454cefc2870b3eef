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
//! CANCELLED may stand beside any phase: the next activation drops what is suspended. JOINED and
//! WAKER belong to tasks (see `task::cell`); SUSPENDED to actor cells: idle, but with a handler at
//! an await. Counts stand above the flags.
//!
//! All transitions are read-modify-writes on one word, so they are totally ordered; acquiring
//! RUNNING has Acquire and giving it up has Release, so that each runner sees what the last did.

use crate::sync::atomic::{AtomicUsize, Ordering, fence};

const SCHEDULED: usize = 1 << 0;
const RUNNING: usize = 1 << 1;
const COMPLETE: usize = 1 << 2;
const CANCELLED: usize = 1 << 3;
const SUSPENDED: usize = 1 << 4;
const JOINED: usize = 1 << 5;
const WAKER: usize = 1 << 6;
const COUNT_SHIFT: u32 = 8;
const COUNT: usize = 1 << COUNT_SHIFT;
const FLAGS: usize = COUNT - 1;

const _: () = assert!(
    (SCHEDULED | RUNNING | COMPLETE | CANCELLED | SUSPENDED | JOINED | WAKER) & !FLAGS == 0,
    "flags and counts must not overlap"
);

/// What a notification asks of its caller.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Notify {
    /// The unit became scheduled: queue one count of it.
    Schedule,
    /// Someone else will run it, or nobody ever will again.
    Nothing,
}

/// How an activation ends.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Idle again: the runner's count is to be dropped.
    Idle,
    /// Notified meanwhile: the runner's count goes back to the queue.
    Again,
}

/// A reading of the word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot(usize);

impl Snapshot {
    pub(crate) fn is_running(self) -> bool {
        self.0 & RUNNING != 0
    }
    pub(crate) fn is_scheduled(self) -> bool {
        self.0 & SCHEDULED != 0
    }
    pub(crate) fn is_complete(self) -> bool {
        self.0 & COMPLETE != 0
    }
    pub(crate) fn is_cancelled(self) -> bool {
        self.0 & CANCELLED != 0
    }
    pub(crate) fn is_suspended(self) -> bool {
        self.0 & SUSPENDED != 0
    }
    pub(crate) fn is_joined(self) -> bool {
        self.0 & JOINED != 0
    }
    pub(crate) fn has_waker(self) -> bool {
        self.0 & WAKER != 0
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
    pub(crate) fn scheduled_joined(counts: usize) -> Self {
        Self(AtomicUsize::new(
            (counts << COUNT_SHIFT) | SCHEDULED | JOINED,
        ))
    }

    pub(crate) fn load(&self) -> Snapshot {
        // Ordering: Acquire; pairs with the Release of `end` and `complete`.
        Snapshot(self.0.load(Ordering::Acquire))
    }

    /// Adds a count. The caller holds one already.
    pub(crate) fn retain(&self) {
        // Ordering: Relaxed; a new count is made from one that is held.
        let old = self.0.fetch_add(COUNT, Ordering::Relaxed);
        // A count that wraps would free a live unit; nobody holds 2^55 of them.
        assert!(old < usize::MAX / 2, "too many references to one unit");
    }

    /// Gives a count back; true for the last one.
    #[must_use]
    pub(crate) fn release(&self) -> bool {
        // Ordering: Release; pairs with the Acquire fence of whoever releases last.
        let old = self.0.fetch_sub(COUNT, Ordering::Release);
        debug_assert!(old >= COUNT, "a count was given back twice");
        if old >> COUNT_SHIFT != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        true
    }

    /// Marks the unit runnable.
    pub(crate) fn notify(&self) -> Notify {
        self.mark(0).1
    }

    /// Marks the unit runnable and cancelled; says whether it was not cancelled before.
    pub(crate) fn cancel(&self) -> (bool, Notify) {
        let (old, notify) = self.mark(CANCELLED);
        (old.0 & (CANCELLED | COMPLETE) == 0, notify)
    }

    fn mark(&self, also: usize) -> (Snapshot, Notify) {
        // On a complete unit the bit is set in vain: nobody queues it, nobody reads it again.
        // Ordering: Release; pairs with the Acquire of `begin`, so that the run sees what the
        // notifier wrote before it notified, also where the notification merges into another.
        let old = self.0.fetch_or(SCHEDULED | also, Ordering::AcqRel);
        if old & (SCHEDULED | RUNNING | COMPLETE) == 0 {
            (Snapshot(old), Notify::Schedule)
        } else {
            (Snapshot(old), Notify::Nothing)
        }
    }

    /// Takes the run right of a scheduled unit.
    pub(crate) fn begin(&self) -> Snapshot {
        // SCHEDULED -> RUNNING. Only the holder of the queued `Unit` comes here (U3), so the
        // exchange of the two bits needs no loop.
        // Ordering: Acquire; pairs with the Release of `notify` and of the last `end`.
        let old = self.0.fetch_xor(SCHEDULED | RUNNING, Ordering::AcqRel);
        debug_assert!(
            old & (SCHEDULED | RUNNING | COMPLETE) == SCHEDULED,
            "begin without a queue entry"
        );
        Snapshot(old ^ (SCHEDULED | RUNNING))
    }

    /// Gives the run right back. `suspended` is what SUSPENDED shall say while nobody runs.
    pub(crate) fn end(&self, suspended: bool) -> End {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            debug_assert!(
                word & (RUNNING | COMPLETE) == RUNNING,
                "end without the run right"
            );
            let mut new = word & !(RUNNING | SUSPENDED);
            if suspended {
                new |= SUSPENDED;
            }
            // Ordering: Release; pairs with the Acquire of the next `begin`.
            match self
                .0
                .compare_exchange_weak(word, new, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) if word & SCHEDULED != 0 => return End::Again,
                Ok(_) => return End::Idle,
                Err(now) => word = now,
            }
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
}
