//! Which unit a worker runs next.

use std::ptr::NonNull;

use super::{Core, Host, Local};
use crate::exec::idle::Look;
use crate::limits;
use crate::ring::SLOTS;
use crate::task::{Header, Unit};

impl Core {
    /// The unit that the worker shall run now.
    pub(crate) fn next(&self, local: &Local, host: &impl Host) -> Option<Unit> {
        let unit = self
            .background_in_turn(local)
            .or_else(|| match self.policy.seed {
                None => self.pick(local, host),
                Some(_) => self.pick_seeded(local, host),
            })
            .or_else(|| self.search(local, host))
            .or_else(|| self.background.pop());
        if unit.is_some() && local.searching.take() {
            self.end_search(host);
        }
        unit
    }

    /// A background unit, however much else waits: its share.
    fn background_in_turn(&self, local: &Local) -> Option<Unit> {
        if local.is_background_turn() {
            self.background.pop()
        } else {
            None
        }
    }

    fn pick(&self, local: &Local, host: &impl Host) -> Option<Unit> {
        if local.is_global_turn(self.policy.global_queue_interval)
            && let Some(unit) = self.take_batch(local, host, limits::GLOBAL_BATCH)
        {
            return Some(unit);
        }
        self.pick_lifo(local)
            .or_else(|| self.slot(local).pop())
            .or_else(|| self.take_batch(local, host, SLOTS / 2))
    }

    /// The LIFO word, unless it had its runs: then what is in it goes behind the ring.
    fn pick_lifo(&self, local: &Local) -> Option<Unit> {
        let slot = self.slot(local);
        let runs = local.lifo_runs.get();
        if !slot.has_lifo() {
            local.lifo_runs.set(0);
            return None;
        }
        if runs >= self.policy.lifo_runs {
            local.lifo_runs.set(0);
            self.flush_lifo(local);
            return None;
        }
        let unit = slot.take_lifo()?;
        local.lifo_runs.set(runs + 1);
        slot.stats.lifo_hits.add(1);
        Some(unit)
    }

    /// Moves what is in the LIFO word to the ring, where others may find it.
    pub(crate) fn flush_lifo(&self, local: &Local) {
        if let Some(unit) = self.slot(local).take_lifo() {
            self.push(local, unit);
        }
    }

    /// The worker's thread is about to block: what it would run next is for others.
    pub(crate) fn before_blocking(&self, local: &Local, host: &impl Host) {
        self.flush_lifo(local);
        if self.slot(local).has_work() || self.has_global() {
            self.signal_peers(host);
        }
    }

    /// A share of the global queue, of at most `most`: one unit to run, the others into the ring.
    ///
    /// With more than half a ring, what was just taken would soon spill back.
    fn take_batch(&self, local: &Local, host: &impl Host, most: usize) -> Option<Unit> {
        let mut producer = local.producer.borrow_mut();
        let room = producer.free();
        let mut batch = self
            .injector
            .take(|len| (len / self.workers + 1).min(most).min(room + 1));
        let first = batch.next()?;
        let mut taken = 1;
        producer.extend(batch.map(|unit| {
            taken += 1;
            unit.into_raw()
        }));
        drop(producer);
        self.slot(local).stats.injected.add(taken);
        // While it was carried over nobody could see it: a searcher may have passed by.
        if taken > 1 && !local.searching.get() {
            self.signal_peers(host);
        }
        Some(first)
    }

    /// Any of what waits, drawn from the generator.
    fn pick_seeded(&self, local: &Local, host: &impl Host) -> Option<Unit> {
        /// How deep a draw reaches into the ring.
        const REACH: usize = 16;
        if let Some(unit) = self.take_batch(local, host, SLOTS / 2) {
            self.push(local, unit);
        }
        let slot = self.slot(local);
        let lifo = usize::from(slot.has_lifo());
        let choices = lifo + slot.ring().len().min(REACH);
        let mut choice = local.rng.borrow_mut().below(choices);
        if lifo == 1 {
            if choice == 0
                && let Some(unit) = self.pick_lifo(local)
            {
                return Some(unit);
            }
            choice = choice.saturating_sub(1);
        }
        for _ in 0..choice {
            let unit = slot.pop()?;
            self.push(local, unit);
        }
        slot.pop().or_else(|| self.pick_lifo(local))
    }

    /// Looks where other workers' units wait.
    fn search(&self, local: &Local, host: &impl Host) -> Option<Unit> {
        let count = self.slots.len();
        if count == 1 {
            return None;
        }
        if !local.searching.get() {
            if !self.idle.try_search() {
                return None;
            }
            local.searching.set(true);
        }
        let start = local.rng.borrow_mut().below(count);
        (0..count)
            .map(|i| (start + i) % count)
            .filter(|&victim| victim != local.slot)
            .find_map(|victim| self.steal(local, victim))
            .or_else(|| self.take_batch(local, host, SLOTS / 2))
    }

    fn steal(&self, local: &Local, victim: usize) -> Option<Unit> {
        let mut producer = local.producer.borrow_mut();
        let (unit, taken) = producer.steal_from(self.slots[victim].ring())?;
        self.slot(local).stats.steals.add(taken as u64);
        Some(entry(unit))
    }

    /// A searcher found work. The last one sees to what else there is.
    fn end_search(&self, host: &impl Host) {
        if self.idle.end_search() == Look::Needed && self.has_visible() {
            self.signal(host);
        }
    }

    /// Whether a global queue holds anything.
    pub(super) fn has_global(&self) -> bool {
        !self.injector.is_empty() || !self.background.is_empty()
    }

    /// Whether there is work that any worker could take.
    pub(crate) fn has_visible(&self) -> bool {
        self.has_global() || self.slots.iter().any(|slot| !slot.ring().is_empty())
    }
}

/// The unit behind an entry of a ring.
fn entry(raw: NonNull<Header>) -> Unit {
    // SAFETY: rings hold one count of each entry; the caller took it out of one.
    unsafe { Unit::from_raw(raw) }
}
