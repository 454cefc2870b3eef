//! All live units of an executor, so that its end can reach the idle ones too.
//!
//! A sharded, doubly linked list through `Header::links`. A unit's links belong to the lock of
//! its shard (found by its id). Each entry holds one count (U2). No user code runs under the locks:
//! units that leave are handed to the caller.

use std::ptr::{self, NonNull};

use crossbeam_utils::CachePadded;

use crate::id::Id;
use crate::limits;
use crate::sync::Mutex;
use crate::task::{Header, Unit};

#[cfg(all(test, not(greenroom_loom)))]
mod tests;

/// The executor takes no more units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

#[derive(Default)]
struct Shard {
    first: Option<NonNull<Header>>,
    len: usize,
    closed: bool,
}

// SAFETY: a shard owns counts of its units, and `Unit` is `Send`; links are guarded by its lock.
unsafe impl Send for Shard {}

impl Shard {
    fn link(&mut self, unit: Unit) {
        let header = unit.into_raw();
        // SAFETY: the entry's count keeps the header; its links belong to this shard's lock.
        unsafe {
            header.as_ref().links.with_mut(|links| {
                debug_assert!((*links).next.is_none(), "a unit is bound once");
                (*links).prev = None;
                (*links).next = self.first;
            });
            if let Some(next) = self.first {
                next.as_ref()
                    .links
                    .with_mut(|links| (*links).prev = Some(header));
            }
        }
        self.first = Some(header);
        self.len += 1;
    }

    fn unlink(&mut self, header: &Header) -> Option<Unit> {
        // SAFETY: the links belong to this shard's lock, and neighbours are in the list, so their
        // counts keep them.
        let entry = unsafe {
            let (prev, next) = header
                .links
                .with_mut(|links| ((*links).prev.take(), (*links).next.take()));
            // What is in the list has one before it, or is the first.
            let is_first = self
                .first
                .is_some_and(|first| ptr::eq(first.as_ptr(), header));
            if prev.is_none() && !is_first {
                return None;
            }
            if let Some(next) = next {
                next.as_ref().links.with_mut(|links| (*links).prev = prev);
            }
            // The pointer that was linked, which U1 speaks of, stands in whoever points here.
            match prev {
                Some(prev) => prev
                    .as_ref()
                    .links
                    .with_mut(|links| std::mem::replace(&mut (*links).next, next)),
                None => std::mem::replace(&mut self.first, next),
            }
        };
        self.len -= 1;
        // SAFETY: `entry` was linked by `link`, and the entry's count is given up here.
        entry.map(|entry| unsafe { Unit::from_raw(entry) })
    }

    /// What the unit says that it is, if it is among the latest that came.
    fn describe(&self, id: Id) -> Option<String> {
        let mut cursor = self.first;
        for _ in 0..limits::LOOKUP_STEPS_MAX {
            let header = cursor?;
            // SAFETY: U1 by `link`; the entry's count keeps the header while the lock is held.
            let header_ref = unsafe { header.as_ref() };
            if header_ref.id() == id {
                // SAFETY: as above.
                return Some(unsafe { Unit::describe(header) });
            }
            // SAFETY: the links belong to this shard's lock.
            cursor = header_ref.links.with(|links| unsafe { (*links).next });
        }
        None
    }

    /// Counts of the units that `pick` picks, `most` at most.
    fn clone_some(&self, most: usize, pick: impl Fn(&Header) -> bool) -> Vec<Unit> {
        let mut units = Vec::with_capacity(self.len.min(most));
        let mut cursor = self.first;
        while let Some(header) = cursor.filter(|_| units.len() < most) {
            // SAFETY: the entry's count keeps the header while the lock is held.
            let header_ref = unsafe { header.as_ref() };
            if pick(header_ref) {
                header_ref.state.retain();
                // SAFETY: U1 by `link`; the count was just added.
                units.push(unsafe { Unit::from_raw(header) });
            }
            // SAFETY: the links belong to this shard's lock.
            cursor = header_ref.links.with(|links| unsafe { (*links).next });
        }
        units
    }
}

/// The list.
pub(crate) struct Owned {
    shards: Box<[CachePadded<Mutex<Shard>>]>,
}

impl Owned {
    /// A list for an executor of so many workers.
    pub(crate) fn new(workers: usize) -> Self {
        // A few shards a worker, so that two workers rarely meet at one lock.
        // One in models, which must repeat, for ids do not.
        let shards = if cfg!(greenroom_loom) {
            1
        } else {
            (workers * 4).next_power_of_two()
        };
        Self {
            shards: (0..shards)
                .map(|_| CachePadded::new(Mutex::new(Shard::default())))
                .collect(),
        }
    }

    fn shard(&self, id: Id) -> &Mutex<Shard> {
        // Ids are dense, so their low bits spread evenly.
        let low = usize::try_from(id.as_u64() & 0xFFFF_FFFF).unwrap_or(0);
        &self.shards[low & (self.shards.len() - 1)]
    }

    /// Adds a unit, with a count of its own.
    pub(crate) fn bind(&self, unit: &Unit) -> Result<(), Closed> {
        let mut shard = self.shard(unit.header().id()).lock();
        if shard.closed {
            return Err(Closed);
        }
        shard.link(unit.clone());
        Ok(())
    }

    /// Makes a unit and adds it, unless the list is closed: then `make` is not called. It is called
    /// under the lock.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn bind_with<T>(
        &self,
        id: Id,
        make: impl FnOnce() -> (Unit, T),
    ) -> Result<(Unit, T), Closed> {
        let mut shard = self.shard(id).lock();
        if shard.closed {
            return Err(Closed);
        }
        let (unit, with) = make();
        debug_assert!(unit.header().id() == id, "the lock is another unit's");
        shard.link(unit.clone());
        Ok((unit, with))
    }

    /// Takes a unit out and gives the list's count back, if it was in.
    pub(crate) fn unbind(&self, header: &Header) -> Option<Unit> {
        self.shard(header.id()).lock().unlink(header)
    }

    /// What the unit with this id is, if it is in. It may not be found among very many.
    pub(crate) fn describe(&self, id: Id) -> Option<String> {
        self.shard(id).lock().describe(id)
    }

    /// Refuses newcomers from now on, and gives counts of all that are in.
    pub(crate) fn close(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for shard in &self.shards {
            let mut shard = shard.lock();
            shard.closed = true;
            units.append(&mut shard.clone_some(usize::MAX, |_| true));
        }
        units
    }

    /// Counts of units that are in and that `pick` picks, `most` at most. It runs under the locks.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn some(&self, most: usize, pick: impl Fn(&Header) -> bool) -> Vec<Unit> {
        let mut units = Vec::new();
        for shard in &self.shards {
            let more = shard.lock().clone_some(most - units.len(), &pick);
            units.extend(more);
        }
        units
    }

    /// How many are in; exact once the list is closed and zero.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.lock().len == 0)
    }
}
