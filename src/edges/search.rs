//! Looking for the circle that an edge closes, as it goes in or before.

use super::{Circle, Edges, Key};
use crate::limits::{WAIT_HOPS, WAIT_LOOKS};

/// What an edge closes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closed<L> {
    /// A circle that nothing ends.
    Lasting(Circle<L>),
    /// A circle that ends by itself: one of its requests has a limit.
    Limited(Circle<L>),
}

/// Which edges count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    Lasting,
}

impl<L: Clone> Edges<L> {
    /// The circle that an edge in the table closes, as the newest of its edges, if there is one
    /// within reach: of at most [`WAIT_HOPS`] edges, found with at most [`WAIT_LOOKS`] looks.
    pub(crate) fn closed_by(&self, key: Key, target: u64) -> Option<Closed<L>> {
        let limited = self.circle(key, target, Which::All)?;
        // There is one: it is seldom that more is to be done.
        let lasting = self.circle(key, target, Which::Lasting);
        Some(lasting.map_or(Closed::Limited(limited), Closed::Lasting))
    }

    fn circle(&self, key: Key, target: u64, which: Which) -> Option<Circle<L>> {
        let mut path = self.path(target, key.waiter, which)?;
        // It is the newest that fails.
        if path.iter().any(|other| other.serial > key.serial) {
            return None;
        }
        path.push(key);
        path.reverse();
        self.confirm(&path, which)
    }

    /// The circle that an edge would close, if it went in: it begins with this label. Nothing
    /// would end it.
    pub(crate) fn foresee(
        &self,
        waiter: u64,
        target: u64,
        label: impl FnOnce() -> L,
    ) -> Option<Circle<L>> {
        let mut path = self.path(target, waiter, Which::Lasting)?;
        path.reverse();
        let rest = self.confirm(&path, Which::Lasting)?;
        let labels = std::iter::once(label()).chain(rest.iter().cloned());
        Some(labels.collect())
    }

    /// A path from one node to another, the last edge first.
    fn path(&self, from: u64, to: u64, which: Which) -> Option<Vec<Key>> {
        let mut search = Search {
            edges: self,
            to,
            which,
            looks: WAIT_LOOKS,
            path: Vec::new(),
        };
        let is_found = from == to || search.reaches(from, WAIT_HOPS - 1);
        is_found.then_some(search.path)
    }

    /// The labels of edges, if all are open at once: the second of the two readings.
    pub(super) fn confirm(&self, path: &[Key], which: Which) -> Option<Circle<L>> {
        let label = |key: &Key| {
            self.shard(key.waiter)
                .lock()
                .open_label(*key, which)
                .cloned()
        };
        path.iter().map(label).collect()
    }
}

struct Search<'a, L> {
    edges: &'a Edges<L>,
    to: u64,
    which: Which,
    looks: usize,
    path: Vec<Key>,
}

impl<L: Clone> Search<'_, L> {
    fn reaches(&mut self, waiter: u64, hops: usize) -> bool {
        let mut serial = 0;
        while hops > 0 && self.looks > 0 {
            // One lock at a time.
            let shard = self.edges.shard(waiter);
            let next = shard.lock().next_open(waiter, serial, self.which);
            let Some((found, target)) = next else {
                return false;
            };
            serial = found;
            self.looks -= 1;
            if target == self.to || self.reaches(target, hops - 1) {
                self.path.push(Key { waiter, serial });
                return true;
            }
        }
        false
    }
}
