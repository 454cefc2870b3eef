//! Finding every circle among many edges.

use std::collections::VecDeque;

use super::Sight;
use super::shard::{ByNode, Nodes};

/// A circle: the newest of its edges, and the others in their order after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) closing: Sight,
    pub(crate) path: Vec<Sight>,
}

impl Found {
    /// All edges, from the newest on.
    pub(super) fn edges(&self) -> Vec<Sight> {
        let rest = self.path.iter().copied();
        std::iter::once(self.closing).chain(rest).collect()
    }
}

/// All circles among some edges.
#[derive(Debug)]
pub(crate) struct Circles {
    /// Those that nothing ends.
    pub(crate) lasting: Vec<Found>,
    /// Those with an edge that is limited.
    pub(crate) limited: Vec<Found>,
}

/// The circles among these edges.
pub(crate) fn circles(mut sights: Vec<Sight>) -> Circles {
    prune(&mut sights, |sight| (sight.key.waiter, sight.target));
    // The same from the other end: who waits for a circle is in none.
    prune(&mut sights, |sight| (sight.target, sight.key.waiter));
    let only = sights.iter().filter(|sight| !sight.is_limited);
    let lasting = closings(only.copied().collect(), false);
    let mut limited = Vec::new();
    if sights.iter().any(|sight| sight.is_limited) {
        let ends = |sight: &Sight| lasting.iter().any(|found| found.closing == *sight);
        sights.retain(|sight| !ends(sight));
        limited = closings(sights, true);
    }
    Circles { lasting, limited }
}

/// Edges are closed in the order of their serial numbers, gates first: so it is a request that
/// closes a circle. It is found with it, and then it stays, or is taken for gone.
fn closings(mut sights: Vec<Sight>, stays: bool) -> Vec<Found> {
    sights.sort_unstable_by_key(|sight| (!sight.is_gate, sight.key.serial));
    let mut graph = Graph::default();
    let mut found = Vec::new();
    for sight in sights {
        let path = graph.path(sight.target, sight.key.waiter);
        let closes = path.is_some();
        if let Some(path) = path {
            let closing = sight;
            found.push(Found { closing, path });
        }
        if !closes || stays {
            graph.add(sight);
        }
    }
    found
}

/// Leaves only edges from which, by the given direction, a circle can be reached.
fn prune(sights: &mut Vec<Sight>, ends_of: impl Fn(&Sight) -> (u64, u64)) {
    let froms: Nodes = sights.iter().map(|sight| ends_of(sight).0).collect();
    sights.retain(|sight| froms.contains(&ends_of(sight).1));
    let mut outgoing = ByNode::<usize>::default();
    let mut incoming = ByNode::<Vec<u64>>::default();
    for sight in sights.iter() {
        let (from, to) = ends_of(sight);
        *outgoing.entry(from).or_default() += 1;
        incoming.entry(to).or_default().push(from);
    }
    let mut ends: Vec<u64> = incoming.keys().copied().collect();
    ends.retain(|node| !outgoing.contains_key(node));
    while let Some(end) = ends.pop() {
        for from in incoming.remove(&end).unwrap_or_default() {
            let left = outgoing.entry(from).or_default();
            *left -= 1;
            if *left == 0 {
                outgoing.remove(&from);
                ends.push(from);
            }
        }
    }
    sights.retain(|sight| outgoing.contains_key(&ends_of(sight).1));
}

/// Edges, and which nodes hang together by them.
#[derive(Default)]
struct Graph {
    edges: ByNode<Vec<Sight>>,
    /// Towards the node that stands for all that hang together.
    parents: ByNode<u64>,
}

impl Graph {
    fn add(&mut self, sight: Sight) {
        let (from, to) = (sight.key.waiter, sight.target);
        self.edges.entry(from).or_default().push(sight);
        let (from, to) = (self.root(from), self.root(to));
        if from != to {
            self.parents.insert(from, to);
        }
    }

    fn root(&mut self, node: u64) -> u64 {
        let mut root = node;
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        let mut node = node;
        while node != root {
            node = self.parents.insert(node, root).unwrap_or(root);
        }
        root
    }

    /// The edges of a shortest path.
    fn path(&mut self, from: u64, to: u64) -> Option<Vec<Sight>> {
        if self.root(from) != self.root(to) {
            return None;
        }
        // By which edge a node was reached.
        let mut reached = ByNode::<Sight>::default();
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            if node == to {
                return Some(retrace(from, to, &reached));
            }
            for sight in self.edges.get(&node).into_iter().flatten() {
                if sight.target != from && !reached.contains_key(&sight.target) {
                    reached.insert(sight.target, *sight);
                    next.push_back(sight.target);
                }
            }
        }
        None
    }
}

fn retrace(from: u64, to: u64, reached: &ByNode<Sight>) -> Vec<Sight> {
    let back = |&node: &u64| reached.get(&node).filter(|_| node != from).copied();
    let mut node = to;
    let mut path = Vec::new();
    while let Some(sight) = back(&node) {
        path.push(sight);
        node = sight.key.waiter;
    }
    path.reverse();
    path
}
