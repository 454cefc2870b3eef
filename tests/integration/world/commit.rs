//! Law 18: a fork is committed if its parent is as it was, and else both are untouched.

use std::sync::{Arc, Mutex};
use std::thread;

use greenroom::world::{Entry, Grant, Ledger, Options, World};

const CELL: Entry<u64> = Entry::named("cell");

#[test]
fn after_a_commit_the_parent_equals_the_child_and_goes_on() {
    let mut world = World::new();
    world.insert(CELL, 1);
    let id = world.lineage().id;
    let mut child = world.fork();
    child.insert(CELL, 2);
    let revision = child.revision();
    child.commit(&mut world).expect("the parent is as it was");
    assert_eq!(world.get(CELL), Some(&2));
    assert_eq!((world.lineage().id, world.revision()), (id, revision));
    let mut next = world.fork();
    next.insert(CELL, 3);
    next.commit(&mut world).expect("it can be forked again");
    assert_eq!(world.get(CELL), Some(&3));
}

#[test]
fn a_commit_to_a_parent_that_was_written_names_both_revisions_and_changes_nothing() {
    let mut world = World::new();
    world.insert(CELL, 1);
    let from = world.revision();
    let mut child = world.fork();
    child.insert(CELL, 2);
    world.insert(CELL, 3);
    let now = world.revision();
    let error = child
        .commit(&mut world)
        .expect_err("the parent was written");
    let conflict = error.conflict();
    assert!(conflict.is_child);
    assert_eq!((conflict.forked_from, conflict.parent), (Some(from), now));
    let text = error.to_string();
    assert!(
        text.contains(&from.to_string()) && text.contains(&now.to_string()),
        "{text}"
    );
    let child = error.into_world();
    assert_eq!((child.get(CELL), world.get(CELL)), (Some(&2), Some(&3)));
}

#[test]
fn after_a_siblings_commit_there_is_a_conflict() {
    let mut world = World::new();
    let (mut one, mut other) = (world.fork(), world.fork());
    one.insert(CELL, 1);
    other.insert(CELL, 2);
    one.commit(&mut world).expect("the first");
    other.commit(&mut world).expect_err("the second");
    assert_eq!(world.get(CELL), Some(&1));
}

#[test]
fn a_world_is_committed_to_its_parent_alone() {
    let mut world = World::new();
    let mut child = world.fork();
    let grandchild = child.fork();
    let error = grandchild.commit(&mut world).expect_err("a grandchild");
    assert!(!error.conflict().is_child);
    World::new().commit(&mut world).expect_err("a stranger");
}

#[test]
fn of_racing_commits_one_wins() {
    let world = Arc::new(Mutex::new(World::new()));
    let forks: Vec<World> = (0..8)
        .map(|value| {
            let mut fork = world.lock().expect("a lock").fork();
            fork.insert(CELL, value);
            fork
        })
        .collect();
    let threads: Vec<_> = forks
        .into_iter()
        .map(|fork| {
            let world = world.clone();
            thread::spawn(move || fork.commit(&mut world.lock().expect("a lock")).is_ok())
        })
        .collect();
    let won = threads
        .into_iter()
        .map(|thread| thread.join().expect("no panic"));
    assert_eq!(won.filter(|won| *won).count(), 1);
}

#[test]
fn a_commit_gives_the_grant_back_once() {
    let ledger = Ledger::new(100);
    let mut world = World::new();
    world.fund(&ledger, 100).expect("funds");
    let mut child = world
        .fork_with(Options::new().grant(Grant::of(40)))
        .expect("funds");
    child.spend(1, 15).expect("funds");
    child.insert(CELL, 1);
    child.commit(&mut world).expect("no conflict");
    assert_eq!(world.balance(), 85);
    assert_eq!(ledger.statement().wallets, 85);
}
