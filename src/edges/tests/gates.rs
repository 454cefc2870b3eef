//! Actors whose handlers run beside each other.

use std::sync::Arc;
use std::task::Waker;

use super::{Count, Said, wait};
use crate::edges::search::Closed;
use crate::edges::{Edge, Edges, Key, Look, Probe, circles, node};
use crate::reply::{ReplyEnd, channel};

/// A gate: while `asker` waits, messages to `actor` wait for its handler with this number.
fn gate(edges: &Edges<u64>, actor: u64, number: usize, asker: &ReplyEnd) -> Key {
    let edge = Edge {
        target: node(actor, number),
        label: 100 + actor,
        probe: Probe::Held(Some(asker.left())),
        waker: Waker::noop().clone(),
        is_limited: false,
    };
    // SAFETY: each test keeps the end for as long as it reads the table.
    unsafe { edges.insert(actor, edge) }
}

#[test]
fn a_gate_fails_the_newest_request_of_a_circle_and_not_itself() {
    let edges = Edges::new();
    let older = wait(&edges, node(1, 1), 2);
    let newest = wait(&edges, 2, 1);
    assert_eq!(edges.closed_by(newest.key), None, "it may be let in");
    let (held, asker) = channel::<Said>();
    edges.close_gate(gate(&edges, 1, 1, &held));
    let Look::Closes(circle) = edges.look(newest.key, Waker::noop()) else {
        panic!("the newest fails")
    };
    assert_eq!(circle[..], [2, 101, node(1, 1)]);
    assert!(matches!(edges.look(older.key, Waker::noop()), Look::Waits));
    let again = wait(&edges, 2, 1);
    assert!(edges.closed_by(again.key).is_some(), "the gate is there");
    drop(asker);
    assert_eq!(
        edges.closed_by(again.key),
        None,
        "what it kept back has gone"
    );
    edges.forget(1);
}

#[test]
fn who_asks_a_handler_beside_others_waits_for_that_one_alone() {
    let edges = Edges::new();
    let _other = wait(&edges, node(1, 1), 2);
    let asked = wait(&edges, 2, 1);
    asked.end.as_ref().expect("it has its end").run_as(2);
    let (held, _asker) = channel::<Said>();
    edges.close_gate(gate(&edges, 1, 1, &held));
    assert!(matches!(edges.look(asked.key, Waker::noop()), Look::Waits));
    let back = wait(&edges, node(1, 2), 2);
    let Some(Closed::Lasting(circle)) = edges.closed_by(back.key) else {
        panic!("it asks its own asker")
    };
    assert_eq!(circle[..], [node(1, 2), 2]);
    edges.forget(1);
}

#[test]
fn a_verdict_on_a_circle_that_has_dissolved_is_forgotten() {
    let edges = Edges::new();
    let mut other = wait(&edges, 2, 1);
    let request = wait(&edges, 1, 2);
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut sights = Vec::new();
    edges.sweep(edges.mark(), &mut sights);
    edges.condemn(&circles(sights).lasting[0]);
    drop(other.end.take());
    assert!(matches!(edges.look(request.key, &waker), Look::Waits));
    // It is one like any other.
    let _again = wait(&edges, 2, 1);
    let mut sights = Vec::new();
    edges.sweep(edges.mark(), &mut sights);
    assert_eq!(circles(sights).lasting.len(), 1);
}
