//! A worker's place: what others may see and take of it.

use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::current::Current;
use crate::id::Id;
use crate::ring::Ring;
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::task::{Header, Unit};

/// One place in the executor, driven by one worker at a time.
pub(crate) struct Slot {
    ring: Arc<Ring<Header>>,
    /// The unit that was woken last by this worker, or null. Only the worker itself and the
    /// monitor's hand-over take from it.
    lifo: AtomicPtr<Header>,
    /// Odd while a unit runs here. It grows, so the monitor tells from it whether the worker moves.
    epoch: AtomicUsize,
    pub(crate) current: Current,
    pub(crate) stats: Stats,
}

impl Slot {
    pub(crate) fn new(ring: Arc<Ring<Header>>) -> Self {
        Self {
            ring,
            lifo: AtomicPtr::new(ptr::null_mut()),
            epoch: AtomicUsize::new(0),
            current: Current::default(),
            stats: Stats::default(),
        }
    }

    pub(crate) fn ring(&self) -> &Ring<Header> {
        &self.ring
    }

    /// Puts a unit into the LIFO word; gives the one that was there. For the worker alone.
    pub(crate) fn put_lifo(&self, unit: Unit) -> Option<Unit> {
        let new = unit.into_raw().as_ptr();
        if self.has_lifo() {
            return self.swap_lifo(new);
        }
        // Null stays until the worker puts something there, so nothing is lost.
        // Ordering: Release; pairs with the Acquire of the swap that takes it.
        self.lifo.store(new, Ordering::Release);
        None
    }

    /// Takes what is in the LIFO word.
    pub(crate) fn take_lifo(&self) -> Option<Unit> {
        if self.has_lifo() {
            self.swap_lifo(ptr::null_mut())
        } else {
            None
        }
    }

    pub(crate) fn has_lifo(&self) -> bool {
        // Ordering: Relaxed; a hint, the swap decides.
        !self.lifo.load(Ordering::Relaxed).is_null()
    }

    fn swap_lifo(&self, new: *mut Header) -> Option<Unit> {
        // Ordering: AcqRel; Release hands the unit over, Acquire takes one: both partners are
        // this same swap, by the worker or by the monitor.
        let old = self.lifo.swap(new, Ordering::AcqRel);
        // SAFETY: the word holds one count of what it points to, and the swap took it out.
        NonNull::new(old).map(|old| unsafe { Unit::from_raw(old) })
    }

    /// Takes a unit out of the ring, as anybody may.
    pub(crate) fn pop(&self) -> Option<Unit> {
        // SAFETY: the ring holds one count of each entry, and `pop` took this one out.
        self.ring
            .pop()
            .map(|entry| unsafe { Unit::from_raw(entry) })
    }

    /// A run begins: the epoch becomes odd.
    pub(crate) fn begin_run(&self) {
        self.set_epoch((self.epoch().0 | 1).wrapping_add(2));
    }

    /// A run has ended: the epoch becomes even.
    pub(crate) fn end_run(&self) {
        self.set_epoch((self.epoch().0 | 1).wrapping_add(1));
    }

    fn set_epoch(&self, epoch: usize) {
        // Ordering: Relaxed; only the worker writes it, and the monitor wants a hint.
        self.epoch.store(epoch, Ordering::Relaxed);
    }

    pub(crate) fn epoch(&self) -> Epoch {
        // Ordering: Relaxed; see `set_epoch`.
        Epoch(self.epoch.load(Ordering::Relaxed))
    }

    /// The unit that runs here, and how long it has done so as far as the monitor has seen it.
    pub(crate) fn running(&self) -> Option<(Id, Option<Duration>)> {
        let epoch = self.epoch();
        let running = (self.current.id()?, self.current.lasted(epoch));
        // Otherwise the two may be of different runs.
        (epoch.is_running() && self.epoch() == epoch).then_some(running)
    }

    /// Whether units wait here for the worker.
    pub(crate) fn has_work(&self) -> bool {
        self.has_lifo() || !self.ring.is_empty()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        drop(self.take_lifo());
        while let Some(unit) = self.pop() {
            drop(unit);
        }
    }
}

/// A reading of a slot's progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Epoch(usize);

impl Epoch {
    /// A unit was running.
    pub(crate) fn is_running(self) -> bool {
        self.0 & 1 == 1
    }

    /// Tells this run from others.
    pub(crate) fn bits(self) -> usize {
        self.0
    }
}

/// A number that one worker counts up and anybody reads. No protocol rests on it, so it is not
/// among what models explore.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        // Ordering: Relaxed; one writer, and readers want statistics only.
        let now = self.0.load(Ordering::Relaxed);
        self.0.store(now.wrapping_add(more), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        // Ordering: Relaxed; see `add`.
        self.0.load(Ordering::Relaxed)
    }
}

/// What a worker counts.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    /// Activations.
    pub(crate) polls: Counter,
    /// Activations out of the LIFO word.
    pub(crate) lifo_hits: Counter,
    /// Units taken from other workers' rings.
    pub(crate) steals: Counter,
    /// Units taken from the global queue.
    pub(crate) injected: Counter,
    /// Times that the worker went to sleep.
    pub(crate) parks: Counter,
    /// Turns: polls of the pump.
    pub(crate) turns: Counter,
    /// Nanoseconds spent in turns.
    pub(crate) busy_ns: Counter,
    /// Times that the monitor handed this worker's units on.
    pub(crate) handed_over: AtomicU64,
}
