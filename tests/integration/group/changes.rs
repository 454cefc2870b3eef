//! Who follows a group's changes.

use std::collections::BTreeSet;

use futures::StreamExt;
use greenroom::limits::GROUP_CHANGES;
use greenroom::{Change, Group, Id};

use super::{Worker, WorkerHandle};
use crate::actor::support::{
    Choices, Flavor, on_each_runtime, on_runtime, poll_once, until, within,
};

fn worker() -> WorkerHandle {
    Worker::new().0.spawn()
}

/// A member joins, or leaves.
fn step(change: Change<Worker>, members: &mut BTreeSet<Id>) {
    match change {
        Change::Joined(member) => assert!(members.insert(member.id()), "it joins twice"),
        Change::Left(member) => assert!(members.remove(&member.id()), "it leaves twice"),
        Change::Lagged(all) => *members = all.iter().map(|member| member.id()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_follower_gets_the_members_and_then_each_change_once_and_in_order() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (first, second) = (worker(), worker());
        group.join(&first).unwrap();
        let (members, mut changes) = group.watch();
        assert_eq!(members, [first.downgrade()]);
        group.join(&second).unwrap();
        group.join(&second).unwrap();
        group.leave(&first);
        within(second.shutdown()).await;
        let Change::Joined(joined) = within(changes.next()).await else {
            panic!("not the first");
        };
        assert_eq!(joined, second.downgrade());
        for leaver in [&first, &second] {
            let Change::Left(left) = within(changes.next()).await else {
                panic!("not the next");
            };
            assert_eq!(left, leaver.identity());
        }
        let mut next = Box::pin(changes.next());
        assert!(poll_once(&mut next).await.is_pending());
    });
}

#[test]
fn a_follower_that_waits_is_woken_by_a_change() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (_, mut changes) = group.watch();
        let waits = greenroom::spawn(async move { StreamExt::next(&mut changes).await });
        tokio::task::yield_now().await;
        let member = worker();
        group.join(&member).unwrap();
        let change = within(waits).await.unwrap();
        assert!(matches!(change, Some(Change::Joined(joined)) if joined == member.downgrade()));
    });
}

#[test]
fn a_follower_that_does_not_read_keeps_little_and_gets_the_members_instead() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (stays, comes) = (worker(), worker());
        let (_, mut changes) = group.watch();
        group.join(&stays).unwrap();
        for _ in 0..GROUP_CHANGES {
            group.join(&comes).unwrap();
            group.leave(&comes);
        }
        let Change::Lagged(members) = within(changes.next()).await else {
            panic!("it is told of its lag first");
        };
        assert_eq!(members, [stays.downgrade()]);
        group.leave(&stays);
        assert!(matches!(within(changes.next()).await, Change::Left(_)));
    });
}

#[test]
fn changes_keep_no_member_running() {
    on_each_runtime(|| async {
        let (group, member) = (Group::new(), worker());
        let (_, mut changes) = group.watch();
        group.join(&member).unwrap();
        let weak = member.downgrade();
        drop(member);
        within(weak.join()).await;
        assert!(matches!(changes.next().await, Change::Joined(_)));
        assert!(matches!(changes.next().await, Change::Left(_)));
    });
}

#[test]
fn field_59_a_follower_of_a_group_hears_once_of_each_end_whatever_its_cause() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (_, mut changes) = group.watch();
        for cause in 0..4 {
            let member = worker();
            group.join(&member).unwrap();
            let id = member.id();
            match cause {
                0 => member.stop(),
                1 => member.kill(),
                2 => drop(member.crash().await.unwrap_err()),
                _ => {}
            }
            drop(member);
            let (joined, left) = (within(changes.next()).await, within(changes.next()).await);
            assert!(matches!(joined, Change::Joined(who) if who.id() == id));
            assert!(matches!(left, Change::Left(who) if who.id() == id));
        }
        let mut next = Box::pin(changes.next());
        assert!(poll_once(&mut next).await.is_pending());
    });
}

#[test]
fn joins_leaves_and_ends_that_race_leave_every_follower_with_the_members() {
    on_runtime(Flavor::TwoWorkers, || async {
        for seed in 0..5 {
            let group = Group::new();
            let (_, mut early) = group.watch();
            let tasks = (0..4).map(|task| {
                let group = group.clone();
                greenroom::spawn(async move { comes_and_goes(seed * 10 + task, &group).await })
            });
            let tasks: Vec<_> = tasks.collect();
            tokio::task::yield_now().await;
            let (members, mut late) = group.watch();
            let mut late_view: BTreeSet<_> = members.iter().map(|m| m.id()).collect();
            let kept: Vec<_> = within(futures::future::join_all(tasks))
                .await
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let is_settled = || group.len() == kept.len();
            until(is_settled).await;
            let expected: BTreeSet<_> = kept.iter().map(|member| member.id()).collect();
            let mut early_view = BTreeSet::new();
            while early_view != expected {
                step(within(early.next()).await, &mut early_view);
            }
            while late_view != expected {
                step(within(late.next()).await, &mut late_view);
            }
            for mut changes in [early, late] {
                let mut next = Box::pin(changes.next());
                assert!(poll_once(&mut next).await.is_pending(), "there is more");
            }
        }
    });
}

async fn comes_and_goes(seed: u64, group: &Group<Worker>) -> WorkerHandle {
    let mut choices = Choices::seeded(seed);
    for _ in 0..100 {
        let member = worker();
        match choices.below(3) {
            0 => member.kill(),
            1 => member.stop(),
            _ => {}
        }
        let _ = group.join(&member);
        if choices.below(2) == 0 {
            group.leave(&member);
        }
        if choices.below(4) == 0 {
            tokio::task::yield_now().await;
        }
    }
    let last = worker();
    group.join(&last).unwrap();
    last
}
