//! Looking for the circle that an edge closes, as it goes in or before.

use super::{Circle, Edges, Key, Sight};
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
    pub(crate) fn closed_by(&self, key: Key) -> Option<Closed<L>> {
        let limited = self.closed_as_newest(key, Which::All)?;
        // There is one: it is seldom that more is to be done.
        let lasting = self.closed_as_newest(key, Which::Lasting);
        Some(lasting.map_or(Closed::Limited(limited), Closed::Lasting))
    }

    fn closed_as_newest(&self, key: Key, which: Which) -> Option<Circle<L>> {
        let circle = self.circle(key, which)?;
        // It is the newest request that fails.
        if newest(&circle) != 0 {
            return None;
        }
        self.confirm(&circle, which)
    }

    /// A gate's edge went in: fails the newest request of the circle that it closes, if there is
    /// one within reach that nothing ends.
    pub(crate) fn close_gate(&self, key: Key) {
        if let Some(mut circle) = self.circle(key, Which::Lasting) {
            let first = newest(&circle);
            circle.rotate_left(first);
            self.fail(circle);
        }
    }

    /// The edges of a circle through an edge, from that one on.
    fn circle(&self, key: Key, which: Which) -> Option<Vec<Sight>> {
        let own = self.shard(key.waiter).lock().sight(key, which)?;
        let mut path = self.path(own.target, key.waiter, which)?;
        path.push(own);
        path.reverse();
        Some(path)
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
    fn path(&self, from: u64, to: u64, which: Which) -> Option<Vec<Sight>> {
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
    pub(super) fn confirm(&self, path: &[Sight], which: Which) -> Option<Circle<L>> {
        let label = |sight: &Sight| {
            let shard = self.shard(sight.key.waiter).lock();
            shard.open_label(sight, which).cloned()
        };
        path.iter().map(label).collect()
    }
}

/// The place of the newest request among the edges of a circle.
fn newest(circle: &[Sight]) -> usize {
    let serial = |(_, sight): &(usize, &Sight)| (!sight.is_gate, sight.key.serial);
    let newest = circle.iter().enumerate().max_by_key(serial);
    newest.map_or(0, |(place, _)| place)
}

struct Search<'a, L> {
    edges: &'a Edges<L>,
    to: u64,
    which: Which,
    looks: usize,
    path: Vec<Sight>,
}

impl<L: Clone> Search<'_, L> {
    fn reaches(&mut self, waiter: u64, hops: usize) -> bool {
        let mut serial = 0;
        while hops > 0 && self.looks > 0 {
            // One lock at a time.
            let shard = self.edges.shard(waiter);
            let next = shard.lock().next_open(waiter, serial, self.which);
            let Some(sight) = next else {
                return false;
            };
            serial = sight.key.serial;
            self.looks -= 1;
            if sight.target == self.to || self.reaches(sight.target, hops - 1) {
                self.path.push(sight);
                return true;
            }
        }
        false
    }
}
