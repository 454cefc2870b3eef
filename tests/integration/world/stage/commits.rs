//! Law 18 where actors live in the worlds.

use std::time::Duration;

use greenroom::world::{ForkActor, Grant, Ledger, Options, Stage, Within, World};

use super::support::{Counter, CounterHandle, stage};

async fn count(counter: &CounterHandle<Within>) -> u64 {
    counter.count().await.expect("it lives")
}

/// A world, its counter at 1, and a fork where it is at 11.
async fn forked() -> (Stage, CounterHandle<Within>, Stage) {
    let stage = stage();
    let counter = Counter::of(1).spawn_in(&stage);
    let fork = stage.fork().await;
    counter.within(&fork).add(10).await.expect("it lives");
    (stage, counter, fork)
}

#[tokio::test]
async fn after_a_commit_the_parent_equals_the_fork_and_handles_go_on() {
    let (stage, counter, fork) = forked().await;
    let in_fork = counter.within(&fork);
    let (child, mut parent) = (fork.quiesce().await, stage.quiesce().await);
    child.commit(&mut parent).expect("the parent is as it was");
    assert_eq!(parent.state(&counter).map(|state| state.count), Some(11));
    drop(parent);
    assert_eq!(count(&counter).await, 11);
    assert!(in_fork.count().await.is_err(), "the fork is gone");
    let next = stage.fork().await;
    assert_eq!(count(&counter.within(&next)).await, 11);
}

#[tokio::test]
async fn a_commit_to_a_parent_that_went_on_changes_neither() {
    let (stage, counter, fork) = forked().await;
    counter.add(1).await.expect("it lives");
    let mut parent = stage.quiesce().await;
    let conflict = fork.quiesce().await.commit(&mut parent);
    let conflict = conflict.expect_err("the parent went on");
    assert!(conflict.is_child);
    assert_ne!(conflict.forked_from, Some(conflict.parent));
    drop(parent);
    assert_eq!(count(&counter).await, 2);
    assert_eq!(count(&counter.within(&fork)).await, 11);
}

#[tokio::test]
async fn a_parent_that_was_only_read_is_as_it_was() {
    let (stage, counter, fork) = forked().await;
    assert_eq!(count(&counter).await, 1);
    let mut parent = stage.quiesce().await;
    let committed = fork.quiesce().await.commit(&mut parent);
    committed.expect("a method with `&self` changes nothing");
}

#[tokio::test]
async fn of_racing_commits_one_wins_and_a_sibling_is_told() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let mut forks = Vec::new();
    for n in 1..=4 {
        let fork = stage.fork().await;
        counter.within(&fork).add(n).await.expect("it lives");
        forks.push(fork);
    }
    let commits = forks.iter().map(async |fork| {
        let child = fork.quiesce().await;
        let mut parent = stage.quiesce().await;
        child.commit(&mut parent).is_ok()
    });
    let won = futures::future::join_all(commits).await;
    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
    let winner = won.iter().position(|won| *won).expect("one") as u64 + 1;
    assert_eq!(count(&counter).await, winner);
}

#[tokio::test]
async fn timers_and_the_time_are_committed_with_the_states() {
    let stage = stage();
    let fuse = super::timers::Fuse::new().spawn_in(&stage);
    let fork = stage.fork().await;
    fuse.within(&fork).light(10, 1).await.expect("it lives");
    fork.advance(Duration::from_secs(4)).await;
    let mut parent = stage.quiesce().await;
    let committed = fork.quiesce().await.commit(&mut parent);
    committed.expect("the parent is as it was");
    drop(parent);
    assert_eq!(stage.now(), Duration::from_secs(4));
    stage.advance(Duration::from_secs(6)).await;
    assert_eq!(fuse.rung().await.expect("it lives"), [(10, 1)]);
}

#[tokio::test]
async fn an_actor_that_was_spawned_in_the_fork_comes_with_it() {
    let (stage, _, fork) = forked().await;
    let own = Counter::of(5).spawn_in(&fork);
    let mut parent = stage.quiesce().await;
    fork.quiesce().await.commit(&mut parent).expect("as it was");
    drop(parent);
    assert!(
        own.count().await.is_err(),
        "where it was spawned it is no more"
    );
    assert_eq!(count(&own.within(&stage)).await, 5);
}

#[tokio::test]
async fn a_world_is_not_committed_to_another_that_it_is_no_fork_of() {
    let (stage, counter, fork) = forked().await;
    let other = super::support::stage();
    let mut quiet = other.quiesce().await;
    let conflict = fork.quiesce().await.commit(&mut quiet).expect_err("no kin");
    assert!(!conflict.is_child);
    drop((quiet, stage));
    assert_eq!(count(&counter.within(&fork)).await, 11);
}

#[tokio::test]
async fn a_fork_with_actors_has_its_grant_and_gives_back_what_is_left() {
    let ledger = Ledger::new(100);
    let mut world = World::seeded(1);
    world.fund(&ledger, 100).expect("there is so much");
    let stage = Stage::new(world);
    let mut quiet = stage.quiesce().await;
    let fork = quiet.fork_with(Options::new().grant(Grant::of(40)));
    let fork = fork.expect("it can pay");
    assert!(
        quiet
            .fork_with(Options::new().grant(Grant::of(61)))
            .is_err()
    );
    let spent = fork.quiesce().await.world_mut().spend(1, 15);
    spent.expect("it has so much");
    assert_eq!(quiet.world().balance(), 60);
    fork.quiesce().await.commit(&mut quiet).expect("as it was");
    assert_eq!(quiet.world().balance(), 85);
    drop(quiet);
    drop((stage, fork));
    assert_eq!(
        (ledger.statement().reserve, ledger.statement().spent),
        (85, 15)
    );
}
