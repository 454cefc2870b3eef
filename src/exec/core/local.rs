//! What belongs to a worker alone.

use std::cell::{Cell, RefCell};

use crate::limits;
use crate::ring::Producer;
use crate::rng::Rng;
use crate::task::Header;

/// A worker's own half of its slot. To hold it is the proof of being that worker.
pub(crate) struct Local {
    pub(super) slot: usize,
    pub(super) producer: RefCell<Producer<Header>>,
    pub(super) rng: RefCell<Rng>,
    picks: Cell<u32>,
    /// Picks until a background unit may go first.
    to_background: Cell<u32>,
    /// Runs out of the LIFO word since another unit ran.
    pub(super) lifo_runs: Cell<usize>,
    /// The next pick looks at the global queue first.
    global_first: Cell<bool>,
    pub(super) searching: Cell<bool>,
    /// Registered as a sleeper.
    pub(super) asleep: Cell<bool>,
}

impl Local {
    pub(super) fn new(slot: usize, seed: u64) -> Self {
        Self {
            slot,
            producer: RefCell::new(Producer::new()),
            rng: RefCell::new(Rng::seeded(seed)),
            picks: Cell::new(0),
            to_background: Cell::new(limits::BACKGROUND_INTERVAL),
            lifo_runs: Cell::new(0),
            global_first: Cell::new(false),
            searching: Cell::new(false),
            asleep: Cell::new(false),
        }
    }

    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    /// Has the next pick look at the global queue first.
    pub(crate) fn look_at_global(&self) {
        self.global_first.set(true);
    }

    pub(super) fn is_background_turn(&self) -> bool {
        let left = self.to_background.get() - 1;
        let is_due = left == 0;
        self.to_background.set(if is_due {
            limits::BACKGROUND_INTERVAL
        } else {
            left
        });
        is_due
    }

    /// One of two choices, drawn.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn flip(&self) -> bool {
        self.rng.borrow_mut().below(2) == 1
    }

    pub(super) fn is_global_turn(&self, interval: u32) -> bool {
        let picks = self.picks.get().wrapping_add(1);
        self.picks.set(picks);
        self.global_first.take() || picks.is_multiple_of(interval)
    }
}
