use std::cell::RefCell;
use std::ptr::NonNull;

use loom::thread;

use super::{Overflow, Producer, SLOTS};

static PLACES: [u8; 16] = [0; 16];

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

fn drain(producer: &Producer<u8>) -> Vec<usize> {
    std::iter::from_fn(|| producer.ring().pop())
        .map(number)
        .collect()
}

fn steal_once(victim: &super::Ring<u8>) -> Vec<usize> {
    let mut thief = Producer::new();
    let first = thief.steal_from(victim).map(|(first, _)| number(first));
    let mut got: Vec<usize> = first.into_iter().collect();
    got.extend(drain(&thief));
    got
}

fn assert_each_once(mut got: Vec<usize>, count: usize) {
    got.sort_unstable();
    assert_eq!(got, (0..count).collect::<Vec<_>>());
}

#[test]
fn steal_against_push_and_pop() {
    loom::model(|| {
        let (mut producer, spilled) = (Producer::new(), Spilled::default());
        producer.push(entry(0), &spilled);
        producer.push(entry(1), &spilled);
        let ring = producer.ring().clone();
        let thief = thread::spawn(move || steal_once(&ring));
        let mut got: Vec<usize> = producer.ring().pop().map(number).into_iter().collect();
        producer.push(entry(2), &spilled);
        producer.push(entry(3), &spilled);
        got.extend(drain(&producer));
        got.extend(thief.join().unwrap());
        assert!(spilled.0.borrow().is_empty());
        assert_each_once(got, 4);
    });
}

#[test]
fn steal_against_overflow() {
    loom::model(|| {
        let (mut producer, spilled) = (Producer::new(), Spilled::default());
        for i in 0..SLOTS {
            producer.push(entry(i), &spilled);
        }
        let ring = producer.ring().clone();
        let thief = thread::spawn(move || steal_once(&ring));
        producer.push(entry(SLOTS), &spilled);
        let mut got = drain(&producer);
        got.extend(thief.join().unwrap());
        got.extend(spilled.0.take());
        assert_each_once(got, SLOTS + 1);
    });
}

#[test]
fn two_thieves_over_a_wrapped_ring() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let (mut producer, spilled) = (Producer::new(), Spilled::default());
        for i in 0..3 {
            producer.push(entry(i), &spilled);
            producer.ring().pop();
        }
        producer.push(entry(0), &spilled);
        producer.push(entry(1), &spilled);
        let rings = [producer.ring().clone(), producer.ring().clone()];
        let thieves = rings.map(|ring| thread::spawn(move || steal_once(&ring)));
        producer.push(entry(2), &spilled);
        let mut got = drain(&producer);
        for thief in thieves {
            got.extend(thief.join().unwrap());
        }
        assert_each_once(got, 3);
    });
}
