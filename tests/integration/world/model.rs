//! Worlds beside deep copies: whatever is written where, each sees what its copy would.

use std::collections::BTreeMap;

use greenroom::limits::WORLD_FLAT;
use greenroom::world::{Entry, Snapshot, World};
use proptest::prelude::*;

const CELL: Entry<u64> = Entry::named("cell");
const LIST: Entry<Vec<u64>> = Entry::named("cell");

/// What may be done to the worlds that there are; worlds and keys are taken modulo their number.
#[derive(Debug, Clone)]
enum Op {
    Insert(usize, u64, u64),
    Write(usize, u64, u64),
    Push(usize, u64),
    Remove(usize, u64),
    Fork(usize),
    Discard(usize),
    Commit(usize, usize),
    Snapshot(usize),
    Restore(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let keys = 0..3 * WORLD_FLAT as u64;
    prop_oneof![
        6 => (any::<usize>(), keys.clone(), any::<u64>()).prop_map(|(w, k, v)| Op::Insert(w, k, v)),
        4 => (any::<usize>(), keys.clone(), any::<u64>()).prop_map(|(w, k, v)| Op::Write(w, k, v)),
        2 => (any::<usize>(), any::<u64>()).prop_map(|(w, v)| Op::Push(w, v)),
        2 => (any::<usize>(), keys).prop_map(|(w, k)| Op::Remove(w, k)),
        3 => any::<usize>().prop_map(Op::Fork),
        1 => any::<usize>().prop_map(Op::Discard),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(w, p)| Op::Commit(w, p)),
        1 => any::<usize>().prop_map(Op::Snapshot),
        1 => any::<usize>().prop_map(Op::Restore),
    ]
}

/// A deep copy.
#[derive(Debug, Clone, Default, PartialEq)]
struct Copied {
    cells: BTreeMap<u64, u64>,
    list: Option<Vec<u64>>,
}

/// A world, its copy, and what a commit of it depends on: whose fork it is, and as of which write.
struct Pair {
    world: World,
    copy: Copied,
    id: u64,
    version: u64,
    forked_from: Option<(u64, u64)>,
}

#[derive(Default)]
struct Bench {
    pairs: Vec<Pair>,
    snapshot: Option<(Snapshot, Copied, u64)>,
    next: u64,
}

impl Bench {
    fn mint(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn run(&mut self, op: &Op) {
        let len = self.pairs.len();
        match *op {
            Op::Insert(at, key, value) => self.write(at % len, |world, copy| {
                world.insert(CELL.at(key), value);
                copy.cells.insert(key, value);
                true
            }),
            Op::Write(at, key, value) => self.write(at % len, |world, copy| {
                let slot = world.get_mut(CELL.at(key)).map(|slot| *slot = value);
                let copied = copy.cells.get_mut(&key).map(|slot| *slot = value);
                assert_eq!(slot, copied);
                slot.is_some()
            }),
            Op::Push(at, value) => self.write(at % len, |world, copy| {
                match world.get_mut(LIST) {
                    Some(list) => list.push(value),
                    None => world.insert(LIST, vec![value]),
                }
                copy.list.get_or_insert_default().push(value);
                true
            }),
            Op::Remove(at, key) => self.write(at % len, |world, copy| {
                let removed = world.remove(CELL.at(key));
                assert_eq!(removed, copy.cells.remove(&key).is_some());
                removed
            }),
            Op::Fork(at) => self.fork(at % len),
            Op::Discard(at) => {
                if len > 1 {
                    self.pairs.swap_remove(at % len).world.discard();
                }
            }
            Op::Commit(at, parent) => self.commit(at % len, parent % len),
            Op::Snapshot(at) => {
                let pair = &mut self.pairs[at % len];
                self.snapshot = Some((pair.world.snapshot(), pair.copy.clone(), pair.version));
            }
            Op::Restore(at) => {
                if let Some((snapshot, copy, version)) = &self.snapshot {
                    let pair = &mut self.pairs[at % len];
                    pair.world.restore(snapshot);
                    pair.copy = copy.clone();
                    pair.version = *version;
                }
            }
        }
    }

    fn write(&mut self, at: usize, write: impl FnOnce(&mut World, &mut Copied) -> bool) {
        let version = self.mint();
        let pair = &mut self.pairs[at];
        if write(&mut pair.world, &mut pair.copy) {
            pair.version = version;
        }
    }

    fn fork(&mut self, at: usize) {
        let id = self.mint();
        let pair = &mut self.pairs[at];
        let fork = Pair {
            world: pair.world.fork(),
            copy: pair.copy.clone(),
            id,
            version: pair.version,
            forked_from: Some((pair.id, pair.version)),
        };
        self.pairs.push(fork);
    }

    fn commit(&mut self, at: usize, parent: usize) {
        if at == parent {
            return;
        }
        let mut child = self.pairs.remove(at);
        let parent = parent - usize::from(parent > at);
        let parent = &mut self.pairs[parent];
        let should = child.forked_from == Some((parent.id, parent.version));
        match child.world.commit(&mut parent.world) {
            Ok(()) => {
                assert!(should, "a commit that should have met a conflict");
                parent.copy = child.copy;
                parent.version = child.version;
            }
            Err(error) => {
                assert!(!should, "{error}");
                child.world = error.into_world();
                self.pairs.insert(at, child);
            }
        }
    }

    fn compare(&self) {
        for Pair { world, copy, .. } in &self.pairs {
            let len = copy.cells.len() + usize::from(copy.list.is_some());
            assert_eq!(world.len(), len);
            assert_eq!(world.get(LIST), copy.list.as_ref());
            for key in 0..3 * WORLD_FLAT as u64 {
                assert_eq!(world.get(CELL.at(key)), copy.cells.get(&key), "key {key}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_world_sees_what_a_deep_copy_at_its_fork_would(
        ops in proptest::collection::vec(op(), 1..120),
    ) {
        let mut bench = Bench::default();
        bench.pairs.push(Pair {
            world: World::new(),
            copy: Copied::default(),
            id: 0,
            version: 0,
            forked_from: None,
        });
        for op in &ops {
            bench.run(op);
            bench.compare();
        }
    }
}

#[test]
fn entries_of_one_name_and_two_types_are_two() {
    let mut world = World::new();
    world.insert(CELL, 1);
    assert_eq!(world.get(LIST), None);
    world.insert(LIST, vec![2]);
    assert_eq!(
        (world.get(CELL), world.get(LIST)),
        (Some(&1), Some(&vec![2]))
    );
}

#[test]
fn a_removed_entry_does_not_come_back_from_the_parent() {
    let mut world = World::new();
    for key in 0..3 * WORLD_FLAT as u64 {
        world.insert(CELL.at(key), key);
    }
    let mut fork = world.fork();
    assert!(fork.remove(CELL.at(1)));
    assert!(!fork.remove(CELL.at(1)));
    let again = fork.fork();
    assert_eq!(
        (again.get(CELL.at(1)), world.get(CELL.at(1))),
        (None, Some(&1))
    );
}
