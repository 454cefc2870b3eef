use std::cell::RefCell;
use std::collections::HashSet;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{HALF, Overflow, Producer, SLOTS};

/// Entries are places in here, so that each has a number.
static PLACES: [u8; 4096] = [0; 4096];

fn entry(number: usize) -> NonNull<u8> {
    NonNull::from(&PLACES[number])
}

fn number(entry: NonNull<u8>) -> usize {
    entry.addr().get() - PLACES.as_ptr().addr()
}

#[derive(Default)]
struct Spilled(RefCell<Vec<usize>>);

impl Overflow<u8> for Spilled {
    fn spill(&self, entries: impl Iterator<Item = NonNull<u8>>) {
        self.0.borrow_mut().extend(entries.map(number));
    }
}

fn filled(count: usize) -> (Producer<u8>, Spilled) {
    let (mut producer, spilled) = (Producer::new(), Spilled::default());
    for i in 0..count {
        producer.push(entry(i), &spilled);
    }
    (producer, spilled)
}

fn drain(producer: &Producer<u8>) -> Vec<usize> {
    std::iter::from_fn(|| producer.ring().pop())
        .map(number)
        .collect()
}

#[test]
fn entries_come_out_in_order() {
    let (producer, spilled) = filled(SLOTS);
    assert_eq!(producer.ring().len(), SLOTS);
    assert_eq!(producer.free(), 0);
    assert_eq!(drain(&producer), (0..SLOTS).collect::<Vec<_>>());
    assert!(producer.ring().is_empty());
    assert!(spilled.0.borrow().is_empty());
}

#[test]
fn a_full_ring_spills_its_older_half_and_the_newcomer() {
    let (producer, spilled) = filled(SLOTS + 1);
    let mut expected: Vec<usize> = (0..HALF).collect();
    expected.push(SLOTS);
    assert_eq!(*spilled.0.borrow(), expected);
    assert_eq!(drain(&producer), (HALF..SLOTS).collect::<Vec<_>>());
}

#[test]
fn a_thief_takes_the_older_half() {
    let (victim, _) = filled(5);
    let mut thief = Producer::new();
    let (first, count) = thief.steal_from(victim.ring()).unwrap();
    assert_eq!((number(first), count), (0, 3));
    assert_eq!(drain(&thief), [1, 2]);
    assert_eq!(drain(&victim), [3, 4]);
    assert!(thief.steal_from(victim.ring()).is_none());
}

#[test]
fn a_full_thief_takes_no_more_than_it_can_keep() {
    let (victim, _) = filled(SLOTS);
    let (mut thief, _) = filled(SLOTS - 1);
    let (first, count) = thief.steal_from(victim.ring()).unwrap();
    assert_eq!((number(first), count), (0, 2));
    assert_eq!(thief.free(), 0);
    assert_eq!(
        thief.steal_from(victim.ring()).map(|(_, count)| count),
        Some(1)
    );
}

#[test]
fn the_counters_wrap_with_the_slots() {
    let (mut producer, spilled) = filled(0);
    for i in 0..PLACES.len() {
        producer.push(entry(i), &spilled);
        assert_eq!(producer.ring().pop().map(number), Some(i));
    }
    producer.extend((0..SLOTS).map(entry));
    assert_eq!(drain(&producer).len(), SLOTS);
}

#[test]
#[should_panic(expected = "more entries than free slots")]
fn extending_beyond_the_free_slots_panics() {
    let (mut producer, _) = filled(SLOTS - 1);
    producer.extend([entry(0), entry(1)].into_iter());
}

#[test]
fn under_contention_each_entry_comes_out_once() {
    let (mut producer, spilled) = filled(0);
    let done = AtomicBool::new(false);
    let ring = producer.ring().clone();
    let (done, ring) = (&done, &ring);
    let steal = move || {
        let (mut thief, mut got) = (Producer::new(), Vec::new());
        loop {
            let is_last = done.load(Ordering::Acquire);
            while let Some((first, _)) = thief.steal_from(ring) {
                got.push(number(first));
                got.extend(drain(&thief));
            }
            if is_last {
                return got;
            }
            thread::yield_now();
        }
    };
    let mut got = thread::scope(|scope| {
        let thieves = [scope.spawn(steal), scope.spawn(steal)];
        let mut got = Vec::new();
        for i in 0..PLACES.len() {
            producer.push(entry(i), &spilled);
            if i % 3 == 0 {
                got.extend(producer.ring().pop().map(number));
            }
        }
        done.store(true, Ordering::Release);
        got.extend(thieves.into_iter().flat_map(|thief| thief.join().unwrap()));
        got
    });
    got.extend(spilled.0.borrow().iter());
    assert_eq!(got.len(), PLACES.len());
    assert_eq!(got.into_iter().collect::<HashSet<_>>().len(), PLACES.len());
}
