//! What stands in the order in which it came, by keys that ascend.

use std::iter::FilterMap;
use std::ops::Index;
use std::slice;

/// So many gaps are always borne.
const GAPS: usize = 16;

/// A map of keys that are added in their order, and looked up far more often than taken out. One
/// that was taken out leaves a gap, of which there are never many more than keys.
#[derive(Clone, Debug)]
pub(crate) struct Ascending<K, V> {
    /// The last is no gap.
    seats: Vec<(K, Option<V>)>,
    gaps: usize,
}

impl<K, V> Default for Ascending<K, V> {
    fn default() -> Self {
        Self {
            seats: Vec::new(),
            gaps: 0,
        }
    }
}

type Seats<'a, K, V> =
    FilterMap<slice::Iter<'a, (K, Option<V>)>, fn(&'a (K, Option<V>)) -> Option<(K, &'a V)>>;

impl<K: Copy + Ord, V> Ascending<K, V> {
    /// Adds a key that is greater than all before.
    pub(crate) fn push(&mut self, key: K, value: V) {
        debug_assert!(self.seats.last().is_none_or(|(last, _)| *last < key));
        self.seats.push((key, Some(value)));
    }

    fn seat(&self, key: K) -> Option<usize> {
        // What is looked up came last, more often than not.
        let last = self.seats.len().checked_sub(1)?;
        if self.seats[last].0 == key {
            return Some(last);
        }
        self.seats.binary_search_by_key(&key, |(key, _)| *key).ok()
    }

    pub(crate) fn get(&self, key: K) -> Option<&V> {
        self.seats[self.seat(key)?].1.as_ref()
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let seat = self.seat(key)?;
        self.seats[seat].1.as_mut()
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let seat = self.seat(key)?;
        let value = self.seats[seat].1.take()?;
        self.gaps += 1;
        self.close_up();
        Some(value)
    }

    pub(crate) fn pop_last(&mut self) -> Option<(K, V)> {
        let (key, value) = self.seats.pop()?;
        self.close_up();
        value.map(|value| (key, value))
    }

    /// Leaves no gap at the end, and not too many before.
    fn close_up(&mut self) {
        while let Some((_, None)) = self.seats.last() {
            self.seats.pop();
            self.gaps -= 1;
        }
        if self.gaps > GAPS.max(self.seats.len() / 2) {
            self.seats.retain(|(_, value)| value.is_some());
            self.gaps = 0;
            if self.seats.len() < self.seats.capacity() / 4 {
                self.seats.shrink_to_fit();
            }
        }
    }

    /// All, in order.
    pub(crate) fn iter(&self) -> Seats<'_, K, V> {
        occupied(&self.seats)
    }

    /// All from this key on.
    pub(crate) fn from(&self, first: K) -> Seats<'_, K, V> {
        let start = self.seats.partition_point(|(key, _)| *key < first);
        occupied(&self.seats[start..])
    }
}

fn occupied<K: Copy, V>(seats: &[(K, Option<V>)]) -> Seats<'_, K, V> {
    seats
        .iter()
        .filter_map(|(key, value)| Some((*key, value.as_ref()?)))
}

impl<K: Copy + Ord, V> Index<K> for Ascending<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.get(key).expect("a key that is in")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_does_what_a_sorted_map_does_and_keeps_few_gaps() {
        let mut rng = Rng::seeded(1);
        let (mut map, mut naive) = (Ascending::default(), BTreeMap::new());
        for key in 0..5_000_u64 {
            if rng.below(2) == 0 {
                map.push(key, key);
                naive.insert(key, key);
            }
            let other = rng.below(key as usize + 1) as u64;
            match rng.below(8) {
                0..=2 => assert_eq!(map.remove(other), naive.remove(&other)),
                3 => assert_eq!(map.pop_last(), naive.pop_last()),
                _ => assert_eq!(map.get_mut(other), naive.get_mut(&other)),
            }
            assert_eq!(map.get(other), naive.get(&other));
            let rest = naive.range(other..).map(|(key, value)| (*key, value));
            assert!(map.from(other).eq(rest.clone()));
            assert!(map.from(other).rev().eq(rest.rev()));
            assert!(map.seats.len() <= 2 * (naive.len() + GAPS));
        }
        assert_eq!(map.iter().count(), naive.len());
        let many: Vec<u64> = naive.into_keys().collect();
        assert!(many.into_iter().all(|key| map.remove(key) == Some(key)));
        assert!(map.seats.is_empty());
    }
}
