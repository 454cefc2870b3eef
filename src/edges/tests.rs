mod gates;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};

use super::judge::{Circles, Found};
use super::search::{Closed, Which};
use super::{Edge, Edges, Key, Look, Probe, Sight, circles};
use crate::limits::{WAIT_HOPS, WAITS_KEPT};
use crate::reply::{Answer, Receiver, ReplyEnd, channel};
use crate::rng::Rng;

struct Said;

impl Answer for Said {
    fn orphaned() -> Self {
        Self
    }
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A request that waits, and its edge.
struct Request {
    key: Key,
    end: Option<ReplyEnd>,
    _receiver: Receiver,
}

fn wait(edges: &Edges<u64>, waiter: u64, target: u64) -> Request {
    let (end, receiver) = channel::<Said>();
    let edge = Edge {
        target,
        label: waiter,
        probe: Probe::Reply(receiver.probe()),
        waker: Waker::noop().clone(),
        is_limited: false,
    };
    Request {
        // SAFETY: each test keeps the request for as long as it reads the table.
        key: unsafe { edges.insert(waiter, edge) },
        end: Some(end),
        _receiver: receiver,
    }
}

/// A chain of waits, `0` to `1` and so on.
fn chain(edges: &Edges<u64>, len: u64) -> Vec<Request> {
    (0..len).map(|node| wait(edges, node, node + 1)).collect()
}

#[test]
fn a_circle_is_named_from_the_edge_that_closed_it() {
    let edges = Edges::new();
    let _chain = chain(&edges, 3);
    let last = wait(&edges, 3, 0);
    let Some(Closed::Lasting(circle)) = edges.closed_by(last.key) else {
        panic!("it is closed")
    };
    assert_eq!(circle[..], [3, 0, 1, 2]);
    assert_eq!(edges.foresee(9, 0, || 9), None);
    assert_eq!(edges.foresee(9, 9, || 9).expect("itself")[..], [9]);
}

#[test]
fn an_answer_opens_a_circle_wherever_it_comes() {
    for answered in 0..3 {
        let edges = Edges::new();
        let mut chain = chain(&edges, 3);
        let last = wait(&edges, 3, 0);
        drop(chain[answered].end.take());
        assert_eq!(edges.closed_by(last.key), None);
    }
    let edges = Edges::new();
    let _chain = chain(&edges, 3);
    let mut last = wait(&edges, 3, 0);
    drop(last.end.take());
    assert_eq!(edges.closed_by(last.key), None, "one's own as well");
}

#[test]
fn a_circle_is_looked_for_within_reach_alone() {
    let hops = WAIT_HOPS as u64;
    for (len, is_found) in [(hops - 1, true), (hops, false)] {
        let edges = Edges::new();
        let _chain = chain(&edges, len);
        let last = wait(&edges, len, 0);
        assert_eq!(edges.closed_by(last.key).is_some(), is_found, "{len}");
    }
}

#[test]
fn a_circle_is_found_behind_other_waits_of_its_waiters() {
    let edges = Edges::new();
    let dead_ends: Vec<_> = (0..9).map(|n| wait(&edges, 1, 10 + n)).collect();
    let _way = wait(&edges, 1, 2);
    let more: Vec<_> = (0..9).map(|n| wait(&edges, 1, 30 + n)).collect();
    let last = wait(&edges, 2, 1);
    assert!(edges.closed_by(last.key).is_some());
    for request in dead_ends.iter().chain(&more) {
        edges.remove(request.key);
    }
    assert!(edges.closed_by(last.key).is_some());
}

#[test]
fn what_goes_out_is_out_in_whatever_order() {
    let edges = Edges::new();
    let requests: Vec<_> = (0..6).map(|n| wait(&edges, 1, 10 + n)).collect();
    for index in [0, 3, 5, 1, 4] {
        edges.remove(requests[index].key);
        edges.remove(requests[index].key);
    }
    let left = edges.shard(1).lock().sight(requests[2].key, Which::All);
    assert!(
        edges
            .confirm(&[left.expect("it is in")], Which::All)
            .is_some()
    );
    edges.remove(requests[2].key);
    assert!(edges.is_empty());
    let _again = [wait(&edges, 1, 2), wait(&edges, 1, 3)];
    edges.forget(1);
    assert!(edges.is_empty());
}

#[test]
fn who_is_condemned_is_woken_told_once_and_waits_no_more() {
    let edges = Edges::new();
    let count = Arc::new(Count::default());
    let request = wait(&edges, 1, 1);
    let waker = Waker::from(Arc::clone(&count));
    assert!(matches!(edges.look(request.key, &waker), Look::Waits));
    edges.condemn(&alone(&request));
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert_eq!(edges.closed_by(request.key), None, "it gives up");
    assert!(matches!(edges.look(request.key, &waker), Look::Closes(_)));
    assert!(matches!(edges.look(request.key, &waker), Look::Gone));
    assert!(edges.is_empty());
    drop(waker);
    assert_eq!(Arc::strong_count(&count), 1, "the table keeps no waker");
}

/// An edge that closes a circle by itself.
fn alone(request: &Request) -> Found {
    Found {
        closing: sight(
            request.key.waiter,
            request.key.waiter,
            request.key.serial,
            false,
        ),
        path: Vec::new(),
    }
}

#[test]
fn who_was_answered_is_not_condemned() {
    let edges = Edges::new();
    let mut request = wait(&edges, 1, 1);
    drop(request.end.take());
    edges.condemn(&alone(&request));
    assert_eq!(edges.news(&alone(&request)), None);
    assert!(matches!(
        edges.look(request.key, Waker::noop()),
        Look::Waits
    ));
}

#[test]
fn a_circle_with_a_limit_is_told_apart_and_hides_no_other() {
    let edges = Edges::new();
    let limit = |waiter, target| {
        let request = wait(&edges, waiter, target);
        edges.shard(waiter).lock().limit(request.key);
        request
    };
    let _there = limit(1, 2);
    assert_eq!(edges.foresee(2, 1, || 2), None);
    let early = wait(&edges, 2, 1);
    assert!(matches!(
        edges.closed_by(early.key),
        Some(Closed::Limited(_))
    ));
    let _long_way = [wait(&edges, 1, 3), wait(&edges, 3, 2)];
    let back = wait(&edges, 2, 1);
    let Some(Closed::Lasting(circle)) = edges.closed_by(back.key) else {
        panic!("it lasts")
    };
    assert_eq!(circle[..], [2, 1, 3]);
}

#[test]
fn a_circle_is_told_of_once() {
    let edges = Edges::new();
    let request = wait(&edges, 1, 1);
    assert!(edges.tell(request.key));
    assert!(!edges.tell(request.key));
    edges.remove(request.key);
    assert!(!edges.tell(request.key), "it has gone");
}

#[test]
fn the_room_of_a_crowd_is_given_back() {
    let edges = Edges::new();
    let crowd = 4 * (WAITS_KEPT * crate::limits::WAIT_SHARDS) as u64;
    let requests: Vec<_> = (0..crowd).map(|node| wait(&edges, node, node)).collect();
    for request in &requests {
        edges.remove(request.key);
    }
    let room: usize = edges.shards.iter().map(|shard| shard.lock().room()).sum();
    assert_eq!(room, 0);
}

fn sight(waiter: u64, target: u64, serial: u64, is_limited: bool) -> Sight {
    let key = Key { waiter, serial };
    Sight {
        key,
        target,
        forwards: 0,
        is_limited,
        is_gate: false,
    }
}

/// Whether a node reaches another by at least one of these edges; the slow way.
fn reaches(edges: &[Sight], from: u64, to: u64) -> bool {
    let mut seen = HashSet::new();
    let mut next = vec![from];
    while let Some(node) = next.pop() {
        for edge in edges.iter().filter(|edge| edge.key.waiter == node) {
            if edge.target == to {
                return true;
            }
            if seen.insert(edge.target) {
                next.push(edge.target);
            }
        }
    }
    false
}

/// What is found must be circles, of edges that are there, closed by their newest.
fn check(sights: &[Sight], found: &[Found]) {
    for Found { closing, path } in found {
        let mut node = closing.target;
        assert!(!closing.is_gate);
        for sight in path {
            assert!(sights.contains(sight));
            assert_eq!(sight.key.waiter, node);
            assert!(sight.is_gate || sight.key.serial < closing.key.serial);
            node = sight.target;
        }
        assert_eq!(node, closing.key.waiter);
    }
}

/// The edges that close a circle with those before them; the slow way.
fn closing(sights: &[Sight], stays: bool) -> Vec<u64> {
    let mut standing: Vec<Sight> = Vec::new();
    let mut closing = Vec::new();
    for sight in sights {
        let waiter = sight.key.waiter;
        let closes = waiter == sight.target || reaches(&standing, sight.target, waiter);
        if closes {
            closing.push(sight.key.serial);
        }
        if !closes || stays {
            standing.push(*sight);
        }
    }
    closing
}

#[test]
fn all_circles_are_found_and_nothing_else_in_thousands_of_graphs() {
    let mut rng = Rng::seeded(7);
    let serials = |found: &[Found]| -> Vec<u64> {
        found.iter().map(|found| found.closing.key.serial).collect()
    };
    for _ in 0..4000 {
        let nodes = 2 + rng.below(9);
        let count = rng.below(2 * nodes);
        let mut sights: Vec<_> = (1..=count as u64)
            .map(|serial| {
                let (from, to) = (rng.below(nodes) as u64, rng.below(nodes) as u64);
                Sight {
                    // Gates alone make no circle.
                    is_gate: from < to && rng.below(3) == 0,
                    ..sight(from, to, serial, rng.below(4) == 0)
                }
            })
            .collect();
        // The slow way goes by this order; the other has its own.
        sights.sort_by_key(|sight| !sight.is_gate);
        let Circles { lasting, limited } = circles(sights.clone());
        check(&sights, &lasting);
        check(&sights, &limited);
        let only = sights.iter().filter(|sight| !sight.is_limited);
        let expected = closing(&only.copied().collect::<Vec<_>>(), false);
        assert_eq!(serials(&lasting), expected, "{sights:?}");
        let has_limits = sights.iter().any(|sight| sight.is_limited);
        sights.retain(|sight| !expected.contains(&sight.key.serial));
        let expected = if has_limits {
            closing(&sights, true)
        } else {
            Vec::new()
        };
        assert_eq!(serials(&limited), expected, "{sights:?}");
    }
}

#[test]
fn a_circle_of_a_hundred_thousand_is_found_and_its_newest_edge_closes_it() {
    let count = 100_000;
    let ring = |n: u64| {
        sight(
            n,
            (n + 1) % count,
            if n == 70_000 { count + 1 } else { n + 1 },
            false,
        )
    };
    let found = circles((0..count).map(ring).collect()).lasting;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].closing.key.waiter, 70_000);
    assert_eq!(found[0].path.len() as u64, count - 1);
}

#[test]
fn an_answered_request_that_stands_hides_no_circle() {
    let edges = Edges::new();
    let mut stale = wait(&edges, 1, 2);
    let _open = wait(&edges, 1, 2);
    let last = wait(&edges, 2, 1);
    drop(stale.end.take());
    for _ in 0..3 {
        let mut sights = Vec::new();
        edges.sweep(edges.mark(), &mut sights);
        for found in &circles(sights).lasting {
            edges.condemn(found);
        }
    }
    let look = edges.look(last.key, Waker::noop());
    assert!(matches!(look, Look::Closes(_)));
}

#[test]
fn who_waits_for_a_circle_is_not_judged_one_by_one() {
    let mut serial = 0;
    let mut wait = |waiter, target, is_limited| {
        serial += 1;
        sight(waiter, target, serial, is_limited)
    };
    let mut sights = vec![wait(0, 1, true), wait(1, 0, false)];
    for waiter in 2..50_000 {
        sights.push(wait(waiter, waiter / 2, false));
    }
    let found = circles(sights);
    assert_eq!((found.lasting.len(), found.limited.len()), (0, 1));
}
