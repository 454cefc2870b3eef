//! What happens to units that are scheduled when there are no workers any more.
//!
//! At the end all units are cancelled, and the last worker runs out what waits. A unit may be
//! running elsewhere at that moment (in a section that blocks) and be scheduled again when
//! that run ends: so whoever schedules after the end runs what it scheduled.
//!
//! - *EndStore*, *EndFence*, *Look*: the last worker stores `ended`, and then takes what waits.
//! - *Push*, *PushFence* (in `Idle::rouse`), *ReadEnd*: a pusher pushes, and then reads `ended`.
//!
//! The fences are SeqCst, so either the look sees the unit, or the pusher sees the store and
//! drains itself. One thread drains at a time. Who finds another at it leaves its unit to that
//! one: its swap of `draining` released the push, and the *Stop* of the other comes after that swap
//! and acquires it, so the *LookAgain* that follows sees the unit.

use super::core::Core;
use crate::contain::contain;
use crate::sync::atomic::{AtomicBool, Ordering, fence};

/// Whether the workers have gone, and who runs units in their place.
#[derive(Debug)]
pub(crate) struct Drain {
    ended: AtomicBool,
    draining: AtomicBool,
}

impl Drain {
    pub(crate) fn new() -> Self {
        Self {
            ended: AtomicBool::new(false),
            draining: AtomicBool::new(false),
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        // Ordering: Acquire; pairs with EndStore.
        self.ended.load(Ordering::Acquire)
    }

    /// The last worker has gone.
    pub(crate) fn end(&self, core: &Core) {
        // EndStore, EndFence; the fence pairs with PushFence.
        self.ended.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        self.run_out(core);
    }

    /// After a push: runs what was pushed if there are no workers.
    pub(crate) fn after_push(&self, core: &Core) {
        if self.has_ended() {
            self.run_out(core);
        }
    }

    /// Runs all units that wait, unless somebody is doing so.
    fn run_out(&self, core: &Core) {
        // Ordering: AcqRel; each drainer sees what the one before it did. All changes of
        // `draining` are read-modify-writes, so they are totally ordered.
        while !self.draining.swap(true, Ordering::AcqRel) {
            while let Some(unit) = core.take_any() {
                // A unit contains its own panics; should one get past it, the rest is run all the
                // same.
                contain(|| unit.run());
            }
            // Stop
            self.draining.swap(false, Ordering::AcqRel);
            // LookAgain
            if !core.has_visible() {
                return;
            }
        }
    }
}
