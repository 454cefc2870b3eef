//! The edges of some waiters, under one lock.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::task::Waker;

use super::search::Which;
use super::{Edge, Key, Probe, Sight};
use crate::id::{ById, Spread};
use crate::limits::WAITS_KEPT;
use crate::sync::{Mutex, MutexGuard};

/// A line of its own, so that waiters of other shards do not meet here.
#[repr(align(128))]
pub(super) struct Shard<L>(Mutex<Inner<L>>);

/// An edge in the table.
pub(super) struct Kept<L> {
    target: u64,
    label: L,
    probe: Probe,
    /// Taken by who wakes it with a verdict.
    pub(super) waker: Option<Waker>,
    is_limited: bool,
    pub(super) is_told: bool,
    /// The circle that it is to fail of, from its own edge on.
    pub(super) verdict: Option<Vec<Sight>>,
}

/// The edges of one waiter, which has one most of the time: then nothing is allocated.
pub(super) struct Waits<L> {
    /// The one with the least serial number.
    first: (u64, Kept<L>),
    more: BTreeMap<u64, Kept<L>>,
}

pub(super) struct Inner<L>(ByNode<Waits<L>>);

pub(super) type ByNode<V> = ById<u64, V>;
pub(super) type Nodes = HashSet<u64, BuildHasherDefault<Spread>>;

impl<L> Shard<L> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Inner(HashMap::default())))
    }

    /// No user code runs under this lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<L>> {
        self.0.lock()
    }
}

impl<L> Kept<L> {
    fn new(edge: Edge<L>) -> Self {
        Self {
            target: edge.target,
            label: edge.label,
            probe: edge.probe,
            waker: Some(edge.waker),
            is_limited: edge.is_limited,
            is_told: false,
            verdict: None,
        }
    }

    /// Whether it wakes what `waker` does.
    pub(super) fn wakes(&self, waker: &Waker) -> bool {
        self.waker.as_ref().is_some_and(|own| own.will_wake(waker))
    }

    /// What it tells, if its request waits, and was not told to give up.
    fn sight(&self, key: Key, which: Which) -> Option<Sight> {
        if self.verdict.is_some() || (which == Which::Lasting && self.is_limited) {
            return None;
        }
        // SAFETY: D1; D2: it stands in a shard, and is reached under the shard's lock.
        let (target, forwards) = unsafe { self.probe.leads(self.target) }?;
        Some(Sight {
            key,
            target,
            forwards,
            is_limited: self.is_limited,
            is_gate: matches!(self.probe, Probe::Held(_)),
        })
    }
}

impl<L> Waits<L> {
    fn get_mut(&mut self, serial: u64) -> Option<&mut Kept<L>> {
        if self.first.0 == serial {
            return Some(&mut self.first.1);
        }
        self.more.get_mut(&serial)
    }

    fn iter(&self) -> impl Iterator<Item = (u64, &Kept<L>)> {
        let more = self.more.iter().map(|(serial, kept)| (*serial, kept));
        std::iter::once((self.first.0, &self.first.1)).chain(more)
    }

    /// The next after this serial number that is open.
    fn next_open(&self, waiter: u64, after: u64, which: Which) -> Option<Sight> {
        let first = Some((self.first.0, &self.first.1)).filter(|(serial, _)| *serial > after);
        let more = self.more.range(after + 1..);
        let more = more.map(|(serial, kept)| (*serial, kept));
        first
            .into_iter()
            .chain(more)
            .find_map(|(serial, kept)| kept.sight(Key { waiter, serial }, which))
    }
}

impl<L> Inner<L> {
    #[cfg(all(test, not(greenroom_loom)))]
    pub(super) fn limit(&mut self, key: Key) {
        self.get_mut(key).expect("it is in").is_limited = true;
    }

    #[cfg(all(test, not(greenroom_loom)))]
    pub(super) fn room(&self) -> usize {
        self.0.capacity()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, waiter: u64) -> bool {
        !self.0.is_empty() && self.0.contains_key(&waiter)
    }

    pub(super) fn insert(&mut self, waiter: u64, serial: u64, edge: Edge<L>) {
        let kept = Kept::new(edge);
        match self.0.entry(waiter) {
            Entry::Vacant(entry) => {
                let (first, more) = ((serial, kept), BTreeMap::new());
                entry.insert(Waits { first, more });
            }
            // Numbers of one waiter ascend: it puts its edges in one after the other.
            Entry::Occupied(mut entry) => drop(entry.get_mut().more.insert(serial, kept)),
        }
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<Kept<L>> {
        let Entry::Occupied(mut entry) = self.0.entry(key.waiter) else {
            return None;
        };
        let waits = entry.get_mut();
        if waits.first.0 != key.serial {
            return waits.more.remove(&key.serial);
        }
        match waits.more.pop_first() {
            Some(next) => Some(std::mem::replace(&mut waits.first, next).1),
            None => {
                let kept = entry.remove().first.1;
                self.shrink();
                Some(kept)
            }
        }
    }

    /// Gives memory back after a crowd.
    fn shrink(&mut self) {
        if self.0.is_empty() && self.0.capacity() > WAITS_KEPT {
            self.0 = HashMap::default();
        }
    }

    pub(super) fn forget(&mut self, waiter: u64) -> Option<Waits<L>> {
        let waits = self.0.remove(&waiter);
        self.shrink();
        waits
    }

    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut Kept<L>> {
        self.0.get_mut(&key.waiter)?.get_mut(key.serial)
    }

    /// The first edge of a waiter, of those after this serial number, that is open.
    pub(super) fn next_open(&self, waiter: u64, after: u64, which: Which) -> Option<Sight> {
        self.0.get(&waiter)?.next_open(waiter, after, which)
    }

    fn get(&self, key: Key) -> Option<&Kept<L>> {
        let waits = self.0.get(&key.waiter)?;
        if waits.first.0 == key.serial {
            Some(&waits.first.1)
        } else {
            waits.more.get(&key.serial)
        }
    }

    /// What an edge tells, if it is open.
    pub(super) fn sight(&self, key: Key, which: Which) -> Option<Sight> {
        self.get(key)?.sight(key, which)
    }

    /// The label of an edge that is open, and leads where it did.
    pub(super) fn open_label(&self, sight: &Sight, which: Which) -> Option<&L> {
        let kept = self.get(sight.key)?;
        let now = kept.sight(sight.key, which)?;
        let leads_alike = (now.target, now.forwards) == (sight.target, sight.forwards);
        leads_alike.then_some(&kept.label)
    }

    pub(super) fn sweep(&self, mark: u64, sights: &mut Vec<Sight>) {
        for (&waiter, waits) in &self.0 {
            let old = waits.iter().take_while(|(serial, _)| *serial <= mark);
            sights.extend(
                old.filter_map(|(serial, kept)| kept.sight(Key { waiter, serial }, Which::All)),
            );
        }
    }
}
