//! What happens to units that are scheduled while the workers go, and when there are none.
//!
//! When a host drops its workers all units are cancelled, and each worker that is dropped runs out
//! what waits: the host may wait for another one, that is in a poll, before it drops that too, and
//! the poll may wait for a unit. A unit may be running at that moment and be scheduled again when
//! that run ends, or be on its way into a queue: so whoever schedules after the first worker was
//! dropped runs what it scheduled, unless it is a worker, which runs it in its turn or is dropped.
//!
//! - *EndStore*, *EndFence*, *Look*: a worker that goes stores `ended`, and then takes what waits.
//! - *Push*, *PushFence* (in `Idle::rouse`), *ReadEnd*: a pusher pushes, and then reads `ended`.
//!
//! The fences are SeqCst, so either the look sees the unit, or the pusher sees the store and
//! drains itself. One thread drains at a time. Who finds another at it leaves its unit to that
//! one: its swap of `draining` released the push, and the *Stop* of the other comes after that swap
//! and acquires it, so the *LookAgain* that follows sees the unit.
//!
//! That look does not see LIFO words. What a worker has in its own it runs, or moves to the
//! injector when it goes; what is woken by a unit that is drained waits in the drainer's, who
//! takes it.

use super::core::Core;
use crate::contain::contain;
use crate::sync::atomic::{AtomicBool, Ordering, fence};

/// Whether the workers are going, and who runs units in their place.
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

    /// A worker has gone whom the host dropped, or the last has.
    pub(crate) fn end(&self, core: &Core) {
        // EndStore, EndFence; the fence pairs with PushFence.
        self.ended.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        self.run_out(core);
    }

    /// After a push: runs what was pushed if the host drops the workers.
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
