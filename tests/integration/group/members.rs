//! Who is in a group, and what it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use greenroom::{Context, Group, Handler, Plain, Runtime, group};

use super::{Worker, WorkerHandle, WorkerPing, WorkerWork};
use crate::actor::support::{Gate, on_each_runtime, on_thread, within};

fn worker() -> WorkerHandle {
    Worker::new().0.spawn()
}

#[test]
fn a_broadcast_comes_to_each_member_once_and_in_order() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (workers, done): (Vec<_>, Vec<_>) = (0..3)
            .map(|_| {
                let (worker, done) = Worker::new();
                (worker.spawn(), done)
            })
            .unzip();
        for worker in &workers {
            assert!(group.join(worker).unwrap());
        }
        for n in 0..2 {
            let report = group.broadcast(WorkerWork { n });
            let reached: Vec<_> = workers.iter().map(|worker| worker.identity()).collect();
            assert_eq!(report.reached, reached);
            assert!(report.refused.is_empty());
        }
        for (worker, done) in workers.iter().zip(done) {
            within(worker.ping()).await.unwrap();
            assert_eq!(*done.lock().unwrap(), [0, 1]);
        }
    });
}

#[test]
fn a_member_that_is_full_or_stopped_keeps_no_other_from_its_message() {
    on_each_runtime(|| async {
        let group = Group::new();
        let (full, stopped, gate) = (worker(), worker(), Gate::shut());
        let (free, done) = Worker::new();
        let free = free.spawn();
        for member in [&full, &stopped, &free] {
            group.join(member).unwrap();
        }
        full.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        while full.try_tell(WorkerPing {}).is_ok() {}
        let held = Gate::shut();
        stopped.hold(held.clone()).tell().await.unwrap();
        held.reached().await;
        stopped.stop();
        let report = group.broadcast(WorkerWork { n: 7 });
        assert_eq!(report.reached, [free.identity()]);
        let refused: Vec<_> = report.refused.iter().map(|e| e.actor().clone()).collect();
        assert_eq!(refused, [full.identity(), stopped.identity()]);
        assert!(report.refused[0].is_full() && !report.refused[1].is_full());
        let back = report.refused.into_iter().map(|e| e.into_message().n);
        assert_eq!(back.collect::<Vec<_>>(), [7, 7]);
        within(free.ping()).await.unwrap();
        assert_eq!(*done.lock().unwrap(), [7]);
        gate.open();
        held.open();
    });
}

#[test]
fn an_actor_joins_once_and_leaves_once() {
    on_each_runtime(|| async {
        let (group, member) = (Group::new(), worker());
        assert!(group.is_empty());
        assert!(group.join(&member).unwrap());
        assert!(!group.join(&member).unwrap());
        assert_eq!(group.members(), std::slice::from_ref(&member));
        assert!(group.contains(&member));
        assert!(group.leave(&member));
        assert!(!group.leave(&member));
        assert!(!group.contains(&member) && group.is_empty());
        assert!(group.join(&member).unwrap());
        assert_eq!(group.len(), 1);
        within(member.shutdown()).await;
        assert!(group.is_empty());
    });
}

#[test]
fn a_member_leaves_as_it_ends_and_before_who_joins_is_told() {
    on_each_runtime(|| async {
        let group = Group::new();
        for round in 0..40 {
            let member = worker();
            group.join(&member).unwrap();
            let weak = member.downgrade();
            match round % 4 {
                0 => member.stop(),
                1 => member.kill(),
                2 => drop(member.crash().await.unwrap_err()),
                _ => {}
            }
            drop(member);
            within(weak.join()).await;
            assert!(group.is_empty(), "in {round}");
        }
    });
}

#[test]
fn an_actor_that_has_ended_does_not_join() {
    on_each_runtime(|| async {
        let (group, member) = (Group::new(), worker());
        within(member.shutdown()).await;
        let error = group.join(&member).unwrap_err();
        assert_eq!(error.to_string(), "the actor has ended: it was stopped");
        assert!(error.reason().is_normal());
        assert!(group.is_empty());
    });
}

#[test]
fn a_group_keeps_no_member_running() {
    on_each_runtime(|| async {
        let (group, member) = (Group::new(), worker());
        group.join(&member).unwrap();
        assert_eq!(member.handle_count(), 1);
        let weak = member.downgrade();
        drop(member);
        within(weak.join()).await;
        assert!(group.is_empty());
    });
}

#[test]
fn who_gives_the_same_name_gets_the_same_group() {
    on_each_runtime(|| async {
        let member = worker();
        group::<Worker>("workers").join(&member).unwrap();
        // Nobody has the group, but it has a member.
        assert_eq!(
            group::<Worker>("workers").members(),
            std::slice::from_ref(&member)
        );
        assert_eq!(group::<Worker>("workers"), group::<Worker>("workers"));
        assert!(group::<Worker>("others").is_empty());
        assert!(group::<Other>("workers").is_empty());
        let shown = format!("{:?}", group::<Worker>("workers"));
        assert_eq!(
            shown,
            format!("Group(\"workers\", [{:?}])", member.identity())
        );
        within(member.shutdown()).await;
        assert!(group::<Worker>("workers").is_empty());
    });
}

#[greenroom::actor]
struct Other;

#[greenroom::actor]
impl Other {}

#[test]
fn each_runtime_has_groups_of_its_own_and_members_from_anywhere() {
    on_thread(|| {
        let build = || Runtime::builder().current_thread().build().unwrap();
        let (one, other) = (build(), build());
        let (ours, member) = one.block_on(async { (group::<Worker>("workers"), worker()) });
        ours.join(&member).unwrap();
        other.block_on(async {
            assert!(group::<Worker>("workers").is_empty());
            let (abroad, done) = Worker::new();
            let abroad = abroad.spawn();
            ours.join(&abroad).unwrap();
            assert_eq!(ours.broadcast(WorkerWork { n: 1 }).reached.len(), 2);
            within(abroad.ping()).await.unwrap();
            assert_eq!(*done.lock().unwrap(), [1]);
        });
        drop(one);
        assert_eq!(ours.len(), 1, "one ended with its runtime");
    });
}

#[test]
fn outside_any_runtime_there_are_groups_without_a_name_alone() {
    on_thread(|| {
        assert!(Group::<Worker>::new().is_empty());
        let error = Group::<Worker>::try_named("workers").unwrap_err();
        assert!(!error.to_string().is_empty());
        let panic = std::panic::catch_unwind(|| group::<Worker>("workers")).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("greenroom::group: "), "{text}");
    });
}

/// A message that joins a group as it is cloned.
struct Meddles {
    group: Group<Worker>,
    clones: Arc<AtomicU32>,
}

impl Clone for Meddles {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::SeqCst);
        for member in self.group.members() {
            self.group.leave(&member);
            self.group.join(&member).unwrap();
        }
        Self {
            group: self.group.clone(),
            clones: self.clones.clone(),
        }
    }
}

impl Handler<Meddles> for Worker {
    type Reply = ();
    type Shape = Plain;

    async fn handle(&mut self, _: Meddles, _: &mut Context<Self>) {}
}

#[test]
fn a_message_may_use_the_group_as_it_is_cloned_and_is_cloned_for_all_but_one() {
    on_each_runtime(|| async {
        let group = Group::new();
        let members = [worker(), worker(), worker()];
        for member in &members {
            group.join(member).unwrap();
        }
        let clones = Arc::default();
        let message = Meddles {
            group: group.clone(),
            clones: Arc::clone(&clones),
        };
        assert_eq!(group.broadcast(message).reached.len(), 3);
        assert_eq!(clones.load(Ordering::SeqCst), 2);
    });
}
