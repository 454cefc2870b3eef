//! The scheduler: where units go and which one is next. It knows no host.

use std::sync::Arc;

use crossbeam_utils::CachePadded;

use super::idle::{Idle, Look};
use super::injector::Injector;
use super::owned::Owned;
use super::slot::Slot;
use crate::ring::SLOTS;
use crate::rng::Rng;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::task::Unit;

mod local;
#[allow(unsafe_code)] // entries of rings are counts of units
mod pick;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;

pub(crate) use local::Local;

/// What the core asks of whoever drives its workers.
pub(crate) trait Host {
    /// Has the worker of `slot` look for work soon. It may be called for a worker that is awake.
    fn wake(&self, slot: usize);
}

/// The choices that a builder leaves open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    /// Every so many picks the global queue goes first.
    pub(crate) global_queue_interval: u32,
    /// Runs out of the LIFO word in a row.
    pub(crate) lifo_runs: usize,
    /// Draw each choice from a generator with this seed.
    pub(crate) seed: Option<u64>,
}

/// Whether a worker may wait for its host's wake.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sleep {
    Asleep,
    /// Something turned up meanwhile.
    Work,
}

/// The shared half of an executor.
pub(crate) struct Core {
    slots: Box<[CachePadded<Slot>]>,
    workers: usize,
    injector: Injector,
    /// Background units, all of them that wait.
    background: Injector,
    idle: Idle,
    owned: Owned,
    policy: Policy,
    closing: AtomicBool,
}

impl Core {
    /// A core of `workers` slots, and `spares` more for workers that come and go.
    pub(crate) fn new(workers: usize, spares: usize, policy: Policy) -> (Self, Vec<Local>) {
        let seed = policy.seed.unwrap_or_else(Rng::fresh_seed);
        let mut seeds = Rng::seeded(seed);
        let locals: Vec<Local> = (0..workers + spares)
            .map(|slot| Local::new(slot, seeds.next_u64()))
            .collect();
        let slots = locals
            .iter()
            .map(|local| CachePadded::new(Slot::new(Arc::clone(local.producer.borrow().ring()))))
            .collect();
        let core = Self {
            slots,
            workers,
            injector: Injector::new(),
            background: Injector::new(),
            idle: Idle::new(workers),
            owned: Owned::new(workers),
            policy,
            closing: AtomicBool::new(false),
        };
        (core, locals)
    }

    pub(crate) fn slots(&self) -> &[CachePadded<Slot>] {
        &self.slots
    }

    pub(crate) fn slot(&self, local: &Local) -> &Slot {
        &self.slots[local.slot]
    }

    /// How many units wait for this worker: its own, and its share of those that came from outside.
    pub(crate) fn waiting_for(&self, local: &Local) -> usize {
        let slot = self.slot(local);
        let own = slot.ring().len() + usize::from(slot.has_lifo());
        own + self.injector.len().div_ceil(self.workers)
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    #[cfg(test)]
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn injector(&self) -> &Injector {
        &self.injector
    }

    pub(crate) fn background(&self) -> &Injector {
        &self.background
    }

    pub(crate) fn idle(&self) -> &Idle {
        &self.idle
    }

    pub(crate) fn owned(&self) -> &Owned {
        &self.owned
    }

    // ===== Units come in =====

    /// Takes a unit that the worker itself woke. One alone waits in the LIFO word and signals
    /// nobody; the next one moves it to the ring, where others find it.
    pub(crate) fn schedule_local(&self, local: &Local, unit: Unit, host: &impl Host) {
        let displaced = if self.policy.lifo_runs == 0 {
            Some(unit)
        } else {
            self.slot(local).put_lifo(unit)
        };
        if let Some(unit) = displaced {
            self.push(local, unit);
            self.signal_peers(host);
        }
    }

    /// Takes a unit that was notified while it ran: it goes behind what waits here.
    pub(crate) fn schedule_yielded(&self, local: &Local, unit: Unit, host: &impl Host) {
        let waits = self.slot(local).has_work();
        self.push(local, unit);
        // Alone here it runs next, and to wake somebody for it would be in vain.
        if waits {
            self.signal_peers(host);
        }
    }

    /// Takes a unit that is in no hurry: it goes behind what waits here, where others may find it
    /// and the monitor does, should the poll that runs last.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn schedule_calmly(&self, local: &Local, unit: Unit, host: &impl Host) {
        self.push(local, unit);
        // Many are work for two.
        if self.slot(local).ring().len() >= SLOTS / 2 {
            self.signal_peers(host);
        }
    }

    /// Takes a unit that was notified while it ran inside what the worker still runs.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn schedule_lent(&self, local: &Local, unit: Unit, host: &impl Host) {
        self.push(local, unit);
        self.signal_peers(host);
    }

    /// Takes a unit from anywhere. Gives the worker to wake, if one is needed.
    pub(crate) fn schedule_remote(&self, unit: Unit, prefer: Option<usize>) -> Option<usize> {
        self.injector.push(unit);
        self.idle.rouse(prefer)
    }

    /// Takes a background unit that the worker itself woke, or that was notified while it ran.
    pub(crate) fn background_local(&self, local: &Local, unit: Unit, host: &impl Host) {
        let waits = self.slot(local).has_work() || self.has_global();
        self.background.push(unit);
        // Alone it is what the worker runs next: as in `schedule_yielded`.
        if waits {
            self.signal_peers(host);
        }
    }

    /// Takes a background unit from anywhere. Gives the worker to wake, if one is needed.
    pub(crate) fn background_remote(&self, unit: Unit) -> Option<usize> {
        self.background.push(unit);
        self.idle.rouse(None)
    }

    fn push(&self, local: &Local, unit: Unit) {
        let mut producer = local.producer.borrow_mut();
        producer.push(unit.into_raw(), &self.injector);
    }

    /// Wakes a worker if one is needed.
    pub(crate) fn signal(&self, host: &impl Host) {
        if let Some(slot) = self.idle.rouse(None) {
            host.wake(slot);
        }
    }

    /// As [`Core::signal`], from a worker, which needs no waking itself.
    fn signal_peers(&self, host: &impl Host) {
        if self.slots.len() > 1 {
            self.signal(host);
        }
    }

    // ===== Workers come and go =====

    /// Registers the worker as a sleeper, after [`Core::next`] gave nothing.
    pub(crate) fn sleep(&self, local: &Local) -> Sleep {
        debug_assert!(
            !self.slot(local).has_lifo(),
            "a worker sleeps on its LIFO unit"
        );
        local.asleep.set(true);
        let look = self.idle.sleep(local.slot, local.searching.take());
        // LastLook
        if look == Look::Needed && self.has_visible() {
            self.rise(local);
            return Sleep::Work;
        }
        self.slot(local).stats.parks.add(1);
        Sleep::Asleep
    }

    /// The worker is running again; it must come here before all else.
    pub(crate) fn rise(&self, local: &Local) {
        if local.asleep.take() {
            self.idle.rise(local.slot);
            local.searching.set(true);
        }
    }

    /// The worker goes for good: what waits in its slot goes to where others look.
    pub(crate) fn leave(&self, local: &Local, host: &impl Host) {
        self.rise(local);
        self.empty_slot(local.slot);
        self.slot(local).end_run();
        let _ = if local.searching.take() {
            self.idle.end_search()
        } else {
            self.idle.fence()
        };
        if self.has_visible() {
            self.signal(host);
        }
    }

    /// Moves a stuck worker's units to where others look. Says how many.
    pub(crate) fn hand_over(&self, slot: usize, host: &impl Host) -> usize {
        let moved = self.empty_slot(slot);
        if moved > 0 {
            // Ordering: Relaxed; a statistic.
            let count = &self.slots[slot].stats.handed_over;
            count.fetch_add(moved as u64, std::sync::atomic::Ordering::Relaxed);
            self.signal(host);
        }
        moved
    }

    fn empty_slot(&self, slot: usize) -> usize {
        let slot = &self.slots[slot];
        let mut moved = 0;
        // Bounded, for the worker may go on pushing meanwhile.
        let units = std::iter::from_fn(|| slot.pop().or_else(|| slot.take_lifo())).take(SLOTS + 1);
        self.injector.push_batch(units.inspect(|_| moved += 1));
        moved
    }

    // ===== The end =====

    pub(crate) fn is_closing(&self) -> bool {
        // Ordering: Acquire; pairs with the Release in `close`.
        self.closing.load(Ordering::Acquire)
    }

    /// Whether all units have ended and no more will come.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_closing() && self.owned.is_empty()
    }

    /// Refuses newcomers and cancels all units that are there; workers then run them out.
    pub(crate) fn close(&self) {
        // Ordering: Release; pairs with the Acquire in `is_closing`. The owned list's locks order
        // it before every unbinding that `Owned::close` did not see.
        self.closing.store(true, Ordering::Release);
        for unit in self.owned.close() {
            unit.cancel();
        }
    }

    /// Any unit that waits anywhere, when there are no workers left.
    pub(crate) fn take_any(&self) -> Option<Unit> {
        let waiting = |slot: &CachePadded<Slot>| slot.take_lifo().or_else(|| slot.pop());
        self.slots
            .iter()
            .find_map(waiting)
            .or_else(|| self.injector.pop())
            .or_else(|| self.background.pop())
    }
}
