//! Law 14: what wallets, escrow and spending add up to never changes.

use greenroom::world::{Entry, ForkError, Grant, Ledger, Options, World};
use proptest::prelude::*;

use super::support::started;

const CELL: Entry<u64> = Entry::named("cell");
const INITIAL: u64 = 1_000;

#[derive(Debug, Clone)]
enum Op {
    Fork(usize, u64),
    Spend(usize, u64, u64),
    Discard(usize),
    Commit(usize, usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (any::<usize>(), 0..400_u64).prop_map(|(at, amount)| Op::Fork(at, amount)),
        3 => (any::<usize>(), 0..4_u64, 0..60_u64).prop_map(|(at, w, n)| Op::Spend(at, w, n)),
        3 => any::<usize>().prop_map(Op::Discard),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(at, parent)| Op::Commit(at, parent)),
    ]
}

fn check(ledger: &Ledger, worlds: &[World]) {
    let statement = ledger.statement();
    let balances: u64 = worlds.iter().map(World::balance).sum();
    assert_eq!(statement.wallets, balances);
    assert_eq!(statement.worlds, worlds.len());
    let sum = statement.reserve + statement.wallets + statement.escrow + statement.spent;
    assert_eq!(sum, INITIAL);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_there_is_and_what_was_spent_add_up_at_every_point(
        ops in proptest::collection::vec(op(), 1..80),
    ) {
        let ledger = Ledger::new(INITIAL);
        let mut world = World::new();
        world.fund(&ledger, INITIAL).expect("all of it");
        let mut worlds = vec![world];
        for op in ops {
            let len = worlds.len();
            match op {
                Op::Fork(at, amount) => {
                    let options = Options::new().grant(Grant::of(amount));
                    let fork = worlds[at % len].fork_with(options);
                    worlds.extend(fork.ok());
                }
                Op::Spend(at, what, amount) => {
                    let _ = worlds[at % len].spend(what, amount);
                }
                Op::Discard(at) if len > 1 => worlds.swap_remove(at % len).discard(),
                Op::Commit(at, parent) if at % len != parent % len => {
                    let child = worlds.remove(at % len);
                    let parent = parent % len - usize::from(parent % len > at % len);
                    if let Err(error) = child.commit(&mut worlds[parent]) {
                        worlds.push(error.into_world());
                    }
                }
                Op::Discard(_) | Op::Commit(..) => {}
            }
            check(&ledger, &worlds);
        }
        worlds.clear();
        let statement = ledger.statement();
        assert_eq!((statement.wallets, statement.worlds), (0, 0));
        assert_eq!(statement.reserve, INITIAL - statement.spent);
    }
}

#[test]
fn a_grant_that_cannot_be_paid_leaves_no_world() {
    let ledger = Ledger::new(10);
    let mut world = World::new();
    world.fund(&ledger, 10).expect("funds");
    let error = world
        .fork_with(Options::new().grant(Grant::of(11)))
        .expect_err("too much");
    assert_eq!((error.asked(), error.balance()), (11, 10));
    assert_eq!((ledger.statement().worlds, world.balance()), (1, 10));
}

#[test]
fn a_fork_without_a_grant_has_nothing_to_spend() {
    let ledger = Ledger::new(10);
    let mut world = World::new();
    world.fund(&ledger, 10).expect("funds");
    let mut fork = world.fork();
    assert_eq!(fork.balance(), 0);
    fork.spend(1, 1).expect_err("no wallet");
    fork.spend(1, 0).expect("nothing costs nothing");
}

#[test]
fn a_spend_is_paid_once_in_each_world() {
    let ledger = Ledger::new(10);
    let mut world = World::new();
    world.fund(&ledger, 10).expect("funds");
    let mut fork = world
        .fork_with(Options::new().grant(Grant::of(4)))
        .expect("funds");
    world.spend(7, 2).expect("funds");
    world.spend(7, 2).expect("paid already");
    fork.spend(7, 2).expect("its own");
    assert_eq!(
        (world.balance(), fork.balance(), ledger.statement().spent),
        (4, 2, 4)
    );
}

#[test]
fn what_is_left_goes_to_the_nearest_forebear_that_lives() {
    let ledger = Ledger::new(10);
    let mut world = World::new();
    world.fund(&ledger, 10).expect("funds");
    let mut child = world
        .fork_with(Options::new().grant(Grant::of(6)))
        .expect("funds");
    let grandchild = child
        .fork_with(Options::new().grant(Grant::of(5)))
        .expect("funds");
    child.discard();
    assert_eq!(world.balance(), 5);
    grandchild.discard();
    assert_eq!(world.balance(), 10);
}

#[test]
fn a_chain_of_forks_whose_sources_are_gone_leaves_no_accounts_behind() {
    let ledger = Ledger::new(10);
    let mut world = World::new();
    world.fund(&ledger, 10).expect("funds");
    for _ in 0..10_000 {
        let fork = world
            .fork_with(Options::new().grant(Grant::of(10)))
            .expect("funds");
        world = fork;
    }
    assert_eq!((ledger.statement().worlds, world.balance()), (1, 10));
}

#[test]
fn a_savepoints_fork_that_cannot_be_paid_is_refused_and_the_savepoint_stays() {
    let mut run = started(2);
    let world = run.world_mut().expect("it is suspended");
    world.insert(CELL, 1);
    let ledger = Ledger::new(5);
    world.fund(&ledger, 5).expect("funds");
    let options = |amount| Options::new().grant(Grant::of(amount));
    let error = run.fork_with(options(6)).expect_err("too much");
    assert!(matches!(error, ForkError::NotFunded(_)), "{error:?}");
    let fork = run.fork_with(options(2)).expect("funds");
    assert_eq!(fork.world().expect("suspended").balance(), 2);
    drop(fork);
    assert_eq!(run.world().expect("suspended").balance(), 5);
}
