//! A bounded work-stealing ring of pointers: one producer, any number of takers.
//!
//! # Invariants
//!
//! - **R1 (counters).** `head` and `tail` only grow (modulo the word size), and
//!   `head <= tail <= head + SLOTS`. Entry `i` lies in slot `i % SLOTS`; the filled entries are
//!   `head..tail`.
//! - **R2 (one producer).** Only the ring's one [`Producer`] writes slots and `tail`, and it
//!   writes the slot of entry `i` only after it has seen `head > i - SLOTS`.
//! - **R3 (claim).** An entry belongs to whoever moves `head` past it.
//!
//! # Why takers may read before they claim
//!
//! A taker reads `head` as `h`, then `tail`, then the slots of `h..h + n`, and claims by a
//! compare-exchange of `head` from `h` to `h + n`. If that succeeds, what it read are the entries:
//!
//! 1. *Not older.* `tail` was read with Acquire and is at least `h + n`, so the producer's writes
//!    of these entries happened before the reads.
//! 2. *Not newer.* A newer value W of the same slot is written only after the producer read
//!    `head > h` with Acquire (R2). `head` takes values above `h` only by the successful
//!    compare-exchange of this taker or by one later in `head`'s modification order, since the
//!    counter never comes back to `h`. All of them are Release read-modify-writes, so this
//!    taker's exchange, and with it its reads, happened before W; a read cannot return a write
//!    that happens after it.
//!
//! If the exchange fails, nothing that was read is used. A thief copies into slots of its own
//! ring that are free by R2 and publishes its own `tail` only after the claim, so what it copied
//! in vain is never seen. The counter is a machine word: coming back to `h` within one read
//! sequence would take 2^64 entries (2^32 on small machines).

use std::ptr::{self, NonNull};
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

#[cfg(all(test, greenroom_loom))]
mod loom;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;

/// Entries that fit. Small under loom, so that models reach the wrap and the overflow.
pub(crate) const SLOTS: usize = if cfg!(greenroom_loom) { 4 } else { 256 };
const MASK: usize = SLOTS - 1;
const HALF: usize = SLOTS / 2;

const _: () = assert!(SLOTS.is_power_of_two(), "slots are found by masking");

/// Takes what does not fit: half of the ring and the newcomer, oldest first.
pub(crate) trait Overflow<T> {
    fn spill(&self, entries: impl Iterator<Item = NonNull<T>>);
}

/// The side that everybody may hold.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    head: CachePadded<AtomicUsize>,
    tail: CachePadded<AtomicUsize>,
    slots: Box<[AtomicPtr<T>]>,
}

/// The side that puts entries in; one per ring, so that R2 holds by ownership.
#[derive(Debug)]
pub(crate) struct Producer<T> {
    ring: Arc<Ring<T>>,
}

/// What the counters say about the filled entries.
enum Filled {
    None,
    Some(usize),
    /// `head` was read too long ago.
    Stale,
}

fn filled(head: usize, tail: usize) -> Filled {
    match tail.wrapping_sub(head) {
        0 => Filled::None,
        count if count <= SLOTS => Filled::Some(count),
        _ => Filled::Stale,
    }
}

impl<T> Ring<T> {
    fn slot(&self, entry: usize) -> &AtomicPtr<T> {
        &self.slots[entry & MASK]
    }

    /// Moves `head` past `count` entries; on failure gives the head that is there.
    fn claim(&self, head: usize, count: usize) -> Result<(), usize> {
        // Ordering: Release; pairs with the Acquire load of `head` in `Producer::room`.
        // Acquire on both ends, so that a `tail` read later is not older than this head.
        self.head
            .compare_exchange(
                head,
                head.wrapping_add(count),
                Ordering::AcqRel,
                Ordering::Acquire,
            )
            .map(drop)
    }

    /// Takes the oldest entry.
    pub(crate) fn pop(&self) -> Option<NonNull<T>> {
        // Ordering: Acquire; pairs with the Release of `claim`: `tail` below is not older.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            // Ordering: Acquire; pairs with the Release stores of `tail`.
            match filled(head, self.tail.load(Ordering::Acquire)) {
                Filled::None => return None,
                Filled::Stale => head = self.head.load(Ordering::Acquire),
                Filled::Some(_) => {
                    // Ordering: Relaxed; see the proof at the file's head.
                    let entry = self.slot(head).load(Ordering::Relaxed);
                    match self.claim(head, 1) {
                        Ok(()) => return NonNull::new(entry),
                        Err(now) => head = now,
                    }
                }
            }
        }
    }

    /// How many entries there were a moment ago.
    pub(crate) fn len(&self) -> usize {
        // Ordering: Relaxed; a hint. The idle protocol puts its own fences around it.
        let head = self.head.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        let count = tail.wrapping_sub(head);
        // Out of step with each other the two words may say anything; never more than fits.
        if count > usize::MAX / 2 {
            0
        } else {
            count.min(SLOTS)
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Producer<T> {
    /// A new, empty ring.
    pub(crate) fn new() -> Self {
        Self {
            ring: Arc::new(Ring {
                head: CachePadded::new(AtomicUsize::new(0)),
                tail: CachePadded::new(AtomicUsize::new(0)),
                slots: (0..SLOTS)
                    .map(|_| AtomicPtr::new(ptr::null_mut()))
                    .collect(),
            }),
        }
    }

    pub(crate) fn ring(&self) -> &Arc<Ring<T>> {
        &self.ring
    }

    fn tail(&self) -> usize {
        // Ordering: Relaxed; only this producer writes it (R2).
        self.ring.tail.load(Ordering::Relaxed)
    }

    /// Makes all entries before `tail` visible to takers.
    fn publish(&mut self, tail: usize) {
        // Ordering: Release; pairs with the Acquire loads of `tail` by takers.
        self.ring.tail.store(tail, Ordering::Release);
    }

    /// The head as of now and the number of free slots.
    fn room(&self) -> (usize, usize) {
        // Ordering: Acquire; pairs with the Release of `claim` (R2).
        let head = self.ring.head.load(Ordering::Acquire);
        (head, SLOTS - self.tail().wrapping_sub(head))
    }

    /// How many entries fit without overflow. Takers can only make it more.
    pub(crate) fn free(&self) -> usize {
        self.room().1
    }

    fn write(&mut self, entry: usize, value: *mut T) {
        // Ordering: Relaxed; published by the store of `tail`.
        self.ring.slot(entry).store(value, Ordering::Relaxed);
    }

    /// Puts an entry behind all others.
    pub(crate) fn push(&mut self, value: NonNull<T>, overflow: &impl Overflow<T>) {
        let tail = self.tail();
        loop {
            let (head, free) = self.room();
            if free > 0 {
                self.write(tail, value.as_ptr());
                return self.publish(tail.wrapping_add(1));
            }
            // A taker that comes first makes room.
            if self.ring.claim(head, HALF).is_ok() {
                return self.spill(head, value, overflow);
            }
        }
    }

    /// Gives the claimed entries from `head` on, and the newcomer, to the overflow.
    #[cold]
    fn spill(&self, head: usize, value: NonNull<T>, overflow: &impl Overflow<T>) {
        let oldest = (0..HALF).filter_map(|i| {
            // Ordering: Relaxed; this producer wrote it, and nobody else writes slots (R2).
            NonNull::new(self.ring.slot(head.wrapping_add(i)).load(Ordering::Relaxed))
        });
        overflow.spill(oldest.chain(std::iter::once(value)));
    }

    /// Puts entries behind all others; the caller has made sure of [`Producer::free`] slots.
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = NonNull<T>>) {
        let free = self.free();
        let mut tail = self.tail();
        let first = tail;
        for value in values {
            assert!(
                tail.wrapping_sub(first) < free,
                "more entries than free slots"
            );
            self.write(tail, value.as_ptr());
            tail = tail.wrapping_add(1);
        }
        self.publish(tail);
    }

    /// Takes half of the victim's entries: gives the oldest, keeps the others in its own ring.
    /// Says as well how many it took.
    pub(crate) fn steal_from(&mut self, victim: &Ring<T>) -> Option<(NonNull<T>, usize)> {
        let free = self.free();
        let mine = self.tail();
        // Ordering: Acquire; pairs with the Release of `claim`: `tail` below is not older.
        let mut head = victim.head.load(Ordering::Acquire);
        loop {
            // Ordering: Acquire; pairs with the Release stores of `tail`.
            let count = match filled(head, victim.tail.load(Ordering::Acquire)) {
                Filled::None => return None,
                Filled::Some(count) => (count - count / 2).min(free + 1),
                Filled::Stale => {
                    head = victim.head.load(Ordering::Acquire);
                    continue;
                }
            };
            // Ordering: Relaxed; see the proof at the file's head.
            let first = victim.slot(head).load(Ordering::Relaxed);
            for i in 1..count {
                let value = victim.slot(head.wrapping_add(i)).load(Ordering::Relaxed);
                self.write(mine.wrapping_add(i - 1), value);
            }
            match victim.claim(head, count) {
                Ok(()) => {
                    self.publish(mine.wrapping_add(count - 1));
                    return NonNull::new(first).map(|first| (first, count));
                }
                Err(now) => head = now,
            }
        }
    }
}
