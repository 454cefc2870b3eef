//! Models of requests that are answered and judged at once.

use loom::thread;
use std::sync::Arc;
use std::task::Waker;

use super::rest::Rest;
use super::search::Which;
use super::{Edge, Edges, Key, Look, Probe, Sight, circles};
use crate::reply::{Answer, Receiver, ReplyEnd, channel};

struct Said;

impl Answer for Said {
    fn orphaned() -> Self {
        Self
    }
}

/// A request that waits, and its edge.
fn wait(edges: &Edges<u64>, waiter: u64, target: u64) -> (Key, ReplyEnd, Receiver) {
    let (end, receiver) = channel::<Said>();
    (put(edges, waiter, target, &receiver), end, receiver)
}

fn sight(key: Key, target: u64) -> Sight {
    Sight {
        key,
        target,
        forwards: 0,
        is_limited: false,
        is_gate: false,
    }
}

fn put(edges: &Edges<u64>, waiter: u64, target: u64, receiver: &Receiver) -> Key {
    let edge = Edge {
        target,
        label: waiter,
        probe: Probe::Reply(receiver.probe()),
        waker: Waker::noop().clone(),
        is_limited: false,
    };
    // SAFETY: each model takes the edge out before the receiver goes.
    unsafe { edges.insert(waiter, edge) }
}

#[test]
fn loom_who_was_answered_is_in_no_circle_with_who_answered() {
    loom::model(|| {
        let edges = Arc::new(Edges::<u64>::new());
        let (end, mut receiver) = channel::<Said>();
        let other = Arc::clone(&edges);
        let answerer = thread::spawn(move || {
            // SAFETY: the slot is of `Said`.
            drop(unsafe { end.send(Said) });
            // At once it asks back.
            let (key, _end, _receiver) = wait(&other, 2, 1);
            assert!(other.closed_by(key).is_none());
            other.remove(key);
        });
        if receiver.poll_sent(Waker::noop()).is_pending() {
            let key = put(&edges, 1, 2, &receiver);
            assert!(edges.closed_by(key).is_none());
            edges.remove(key);
        }
        drop(receiver);
        answerer.join().unwrap();
    });
}

#[test]
fn loom_of_two_waits_that_close_a_circle_at_once_one_fails() {
    loom::model(|| {
        let edges = Arc::new(Edges::<u64>::new());
        let other = Arc::clone(&edges);
        let second = thread::spawn(move || {
            let (key, end, receiver) = wait(&other, 2, 1);
            (other.closed_by(key).is_some(), key, end, receiver)
        });
        let (key, _end, _receiver) = wait(&edges, 1, 2);
        let first = edges.closed_by(key).is_some();
        let (second, other_key, _other_end, _other_receiver) = second.join().unwrap();
        assert!(!(first && second));
        let mut sights = Vec::new();
        edges.sweep(edges.mark(), &mut sights);
        let found = circles(sights).lasting.pop().expect("a circle");
        let newest = [key, other_key].into_iter().max_by_key(|key| key.serial);
        assert_eq!(Some(found.closing.key), newest);
        assert!(!first || newest == Some(key));
        assert!(!second || newest == Some(other_key));
        edges.remove(key);
        edges.remove(other_key);
    });
}

#[test]
fn loom_a_request_may_be_dropped_while_a_circle_through_it_is_judged() {
    loom::model(|| {
        let edges = Arc::new(Edges::<u64>::new());
        let (first, _first_end, _first_receiver) = wait(&edges, 1, 2);
        let (second, second_end, second_receiver) = wait(&edges, 2, 1);
        let other = Arc::clone(&edges);
        let judge = thread::spawn(move || {
            let mut circles = circles(vec![sight(first, 2), sight(second, 1)]);
            other.condemn(&circles.lasting.pop().expect("a circle"));
        });
        let looked = edges.look(second, Waker::noop());
        assert!(!matches!(looked, Look::Gone));
        edges.remove(second);
        drop(second_receiver);
        drop(second_end);
        judge.join().unwrap();
        assert!(edges.confirm(&[sight(second, 1)], Which::All).is_none());
        edges.remove(first);
        assert!(edges.is_empty());
    });
}

#[test]
fn loom_no_wait_begins_unseen_while_who_looks_goes_to_rest() {
    loom::model(|| {
        let edges = Arc::new(Edges::<u64>::new());
        let rest = Arc::new(Rest::new());
        assert!(rest.end(), "it rests at first");
        let (other, others_rest) = (Arc::clone(&edges), Arc::clone(&rest));
        let waiter = thread::spawn(move || {
            let wait = wait(&other, 1, 2);
            (others_rest.end(), wait)
        });
        rest.begin(&edges);
        let rests = rest.lasts();
        let (woke, (key, _end, _receiver)) = waiter.join().unwrap();
        assert!(!rest.lasts(), "rested {rests}, woken {woke}");
        assert!(woke || !rests);
        edges.remove(key);
    });
}
