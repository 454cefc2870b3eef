//! Looking for the circle that an edge closes, as it goes in or before.

use super::{Circle, Edges, Key};
use crate::limits::{WAIT_HOPS, WAIT_LOOKS};

impl<L: Clone> Edges<L> {
    /// The circle that an edge in the table closes, if there is one within reach: of at most
    /// [`WAIT_HOPS`] edges, found with at most [`WAIT_LOOKS`] looks.
    pub(crate) fn closed_by(&self, key: Key, target: u64) -> Option<Circle<L>> {
        let mut path = self.path(target, key.waiter)?;
        path.push(key);
        path.reverse();
        self.confirm(&path)
    }

    /// The circle that an edge would close, if it went in: it begins with this label.
    pub(crate) fn foresee(
        &self,
        waiter: u64,
        target: u64,
        label: impl FnOnce() -> L,
    ) -> Option<Circle<L>> {
        let mut path = self.path(target, waiter)?;
        path.reverse();
        let rest = self.confirm(&path)?;
        Some(
            std::iter::once(label())
                .chain(rest.iter().cloned())
                .collect(),
        )
    }

    /// A path from one node to another, the last edge first.
    fn path(&self, from: u64, to: u64) -> Option<Vec<Key>> {
        let mut path = Vec::new();
        let mut looks = WAIT_LOOKS;
        let is_found = from == to || self.search(from, to, WAIT_HOPS - 1, &mut looks, &mut path);
        is_found.then_some(path)
    }

    fn search(
        &self,
        from: u64,
        to: u64,
        hops: usize,
        looks: &mut usize,
        path: &mut Vec<Key>,
    ) -> bool {
        let mut serial = 0;
        while hops > 0 && *looks > 0 {
            // One lock at a time.
            let next = self.shard(from).lock().next_open(from, serial);
            let Some((found, target)) = next else {
                return false;
            };
            serial = found;
            *looks -= 1;
            if target == to || self.search(target, to, hops - 1, looks, path) {
                let waiter = from;
                path.push(Key { waiter, serial });
                return true;
            }
        }
        false
    }

    /// The labels of edges, if all are open at once: the second of the two readings.
    pub(crate) fn confirm(&self, path: &[Key]) -> Option<Circle<L>> {
        let label = |key: &Key| self.shard(key.waiter).lock().open_label(*key).cloned();
        path.iter().map(label).collect()
    }
}
