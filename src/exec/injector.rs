//! The queue that anybody may push to: first in, first out, under one lock.

use std::ptr::NonNull;

use crate::ring::Overflow;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::task::{Header, Unit};

#[cfg(all(test, not(greenroom_loom)))]
mod tests;

/// A chain of units through `Header::next`, which belongs to the chain that holds the unit (U3).
///
/// Each header in it stands for one count.
#[derive(Default)]
struct Chain {
    ends: Option<(NonNull<Header>, NonNull<Header>)>,
    len: usize,
}

// SAFETY: a chain owns counts of its units, and `Unit` is `Send`.
unsafe impl Send for Chain {}

impl Chain {
    fn push(&mut self, unit: Unit) {
        let header = unit.into_raw();
        // SAFETY: U3: the count just taken over keeps the header, and its `next` is the chain's.
        unsafe { header.as_ref().next.with_mut(|next| *next = None) };
        self.append(&mut Chain {
            ends: Some((header, header)),
            len: 1,
        });
    }

    fn append(&mut self, other: &mut Chain) {
        let Some((first, last)) = other.ends.take() else {
            return;
        };
        self.len += std::mem::take(&mut other.len);
        self.ends = match self.ends {
            None => Some((first, last)),
            Some((front, back)) => {
                // SAFETY: U3: `back` is in this chain, which holds its count and its `next`.
                unsafe { back.as_ref().next.with_mut(|next| *next = Some(first)) };
                Some((front, last))
            }
        };
    }

    fn pop(&mut self) -> Option<Unit> {
        let (first, last) = self.ends?;
        // SAFETY: U3: `first` is in this chain, which holds its count and its `next`.
        let next = unsafe { first.as_ref().next.with_mut(|next| (*next).take()) };
        self.ends = next.map(|next| (next, last));
        self.len -= 1;
        // SAFETY: U1 by `push`; the chain's count of this header is given up here.
        Some(unsafe { Unit::from_raw(first) })
    }

    /// Takes the first `count` units, or all if there are not as many.
    fn split(&mut self, count: usize) -> Chain {
        if count >= self.len {
            return std::mem::take(self);
        }
        let mut front = Chain::default();
        for _ in 0..count {
            front.extend(self.pop());
        }
        front
    }
}

impl Extend<Unit> for Chain {
    fn extend<I: IntoIterator<Item = Unit>>(&mut self, units: I) {
        units.into_iter().for_each(|unit| self.push(unit));
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        while let Some(unit) = self.pop() {
            drop(unit);
        }
    }
}

/// Units that were taken out together, oldest first.
pub(crate) struct Batch(Chain);

impl Iterator for Batch {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        self.0.pop()
    }
}

/// The global queue of an executor.
pub(crate) struct Injector {
    chain: Mutex<Chain>,
    /// The chain's length, for looks without the lock.
    len: AtomicUsize,
}

impl Injector {
    pub(crate) fn new() -> Self {
        Self {
            chain: Mutex::new(Chain::default()),
            len: AtomicUsize::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        // Ordering: Relaxed; a hint. The idle protocol puts its own fences around it.
        self.len.load(Ordering::Relaxed)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push(&self, unit: Unit) {
        let mut chain = self.chain.lock();
        chain.push(unit);
        // Ordering: Relaxed; written under the lock only, and read as a hint.
        self.len.store(chain.len, Ordering::Relaxed);
    }

    pub(crate) fn push_batch(&self, units: impl Iterator<Item = Unit>) {
        let mut batch = Chain::default();
        batch.extend(units);
        let mut chain = self.chain.lock();
        chain.append(&mut batch);
        // Ordering: Relaxed; as in `push`.
        self.len.store(chain.len, Ordering::Relaxed);
    }

    pub(crate) fn pop(&self) -> Option<Unit> {
        self.take(|_| 1).next()
    }

    /// Takes as many units as `share` makes of the length.
    pub(crate) fn take(&self, share: impl FnOnce(usize) -> usize) -> Batch {
        if self.is_empty() {
            return Batch(Chain::default());
        }
        let mut chain = self.chain.lock();
        let count = share(chain.len);
        let batch = chain.split(count);
        // Ordering: Relaxed; as in `push`.
        self.len.store(chain.len, Ordering::Relaxed);
        Batch(batch)
    }
}

impl Overflow<Header> for Injector {
    fn spill(&self, entries: impl Iterator<Item = NonNull<Header>>) {
        // SAFETY: entries of a worker's ring are counts of units that the ring gives up.
        self.push_batch(entries.map(|entry| unsafe { Unit::from_raw(entry) }));
    }
}
