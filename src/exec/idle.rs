//! Who sleeps, who searches, and whom a push wakes. The protocol and its proof: README.md beside.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering, fence};

#[cfg(all(test, not(greenroom_loom)))]
mod tests;

const SEARCHING: usize = 1;
const SLEEPING: usize = 1 << 16;
const SEARCHING_MASK: usize = SLEEPING - 1;

const _: () = assert!(
    crate::limits::WORKERS_MAX * 2 < SLEEPING,
    "each count needs a field that holds all workers and spares"
);

/// The two counts in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts(usize);

impl Counts {
    fn searching(self) -> usize {
        self.0 & SEARCHING_MASK
    }

    fn sleeping(self) -> usize {
        self.0 / SLEEPING
    }

    /// A push needs to wake somebody: nobody looks already, and somebody can.
    fn wants_wake(self) -> bool {
        self.searching() == 0 && self.sleeping() > 0
    }
}

/// What a worker must do after it changed the counts.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nobody searches any more: look at all queues, for a push may have relied on this worker.
    Needed,
    /// A searcher is left who will.
    Spared,
}

/// The idle set of an executor.
#[derive(Debug)]
pub(crate) struct Idle {
    counts: AtomicUsize,
    /// The sleeping slots, the latest last. `counts` says its length; both change under the lock.
    sleepers: Mutex<Vec<usize>>,
    /// Half of so many may search.
    workers: usize,
}

impl Idle {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            counts: AtomicUsize::new(0),
            sleepers: Mutex::new(Vec::with_capacity(workers)),
            workers,
        }
    }

    fn counts(&self) -> Counts {
        // Ordering: Relaxed; where order matters, a fence stands before the load.
        Counts(self.counts.load(Ordering::Relaxed))
    }

    /// Adds to the counts and gives them as they were. `change` may be a wrapped negative.
    fn change(&self, change: usize) -> Counts {
        // Ordering: Relaxed; the fences named in the README order it.
        Counts(self.counts.fetch_add(change, Ordering::Relaxed))
    }

    /// BeginSearch: becomes a searcher, unless half of the workers are.
    pub(crate) fn try_search(&self) -> bool {
        // Two that come at once may exceed the half by one; nothing rests on it.
        if self.counts().searching() * 2 >= self.workers {
            return false;
        }
        let _ = self.change(SEARCHING);
        true
    }

    /// EndSearch, LookFence: a searcher found work.
    pub(crate) fn end_search(&self) -> Look {
        let old = self.change(SEARCHING.wrapping_neg());
        debug_assert!(old.searching() > 0, "a search ended that nobody began");
        self.look_after(old.searching() - 1)
    }

    /// Register, LookFence: the worker of `slot` is about to sleep.
    pub(crate) fn sleep(&self, slot: usize, searching: bool) -> Look {
        let searched = if searching { SEARCHING } else { 0 };
        let old = {
            let mut sleepers = self.sleepers.lock();
            debug_assert!(!sleepers.contains(&slot), "a worker sleeps once");
            sleepers.push(slot);
            self.change(SLEEPING.wrapping_sub(searched))
        };
        self.look_after(old.searching() - searched)
    }

    fn look_after(&self, searching: usize) -> Look {
        // LookFence; pairs with PushFence in `rouse`.
        fence(Ordering::SeqCst);
        if searching == 0 {
            Look::Needed
        } else {
            Look::Spared
        }
    }

    /// LookFence alone: a worker goes that is in no count.
    pub(crate) fn fence(&self) -> Look {
        self.look_after(0)
    }

    /// PushFence, ReadCounts, Rouse: called after a push. Gives the slot to wake, if one is
    /// needed; its worker counts as a searcher from here on. `prefer` is taken if it sleeps.
    pub(crate) fn rouse(&self, prefer: Option<usize>) -> Option<usize> {
        // PushFence; pairs with LookFence in `sleep` and `end_search`.
        fence(Ordering::SeqCst);
        if !self.counts().wants_wake() {
            return None;
        }
        let mut sleepers = self.sleepers.lock();
        if !self.counts().wants_wake() {
            return None;
        }
        let at = prefer.and_then(|slot| sleepers.iter().rposition(|&sleeper| sleeper == slot));
        let slot = match at {
            Some(at) => sleepers.remove(at),
            None => sleepers.pop()?,
        };
        let _ = self.change(SEARCHING.wrapping_sub(SLEEPING));
        Some(slot)
    }

    /// Rouse, though somebody searches: the host does not run that worker.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn rouse_another(&self) -> Option<usize> {
        let mut sleepers = self.sleepers.lock();
        let slot = sleepers.pop()?;
        let _ = self.change(SEARCHING.wrapping_sub(SLEEPING));
        Some(slot)
    }

    /// Rise: a worker that registered is running again, for whatever reason. It is a searcher
    /// afterwards: either somebody roused it, or it takes itself out here.
    pub(crate) fn rise(&self, slot: usize) {
        let mut sleepers = self.sleepers.lock();
        if let Some(at) = sleepers.iter().rposition(|&sleeper| sleeper == slot) {
            sleepers.remove(at);
            let _ = self.change(SEARCHING.wrapping_sub(SLEEPING));
        }
    }

    /// How many sleep, a moment ago.
    pub(crate) fn sleeping(&self) -> usize {
        self.counts().sleeping()
    }

    /// Whether the worker of `slot` sleeps.
    pub(crate) fn is_sleeping(&self, slot: usize) -> bool {
        self.sleepers.lock().contains(&slot)
    }
}
