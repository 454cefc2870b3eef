//! Every way to spawn leads to our scheduler.

use tokio::runtime::Handle;
use tokio::task::{self, JoinSet};

use crate::support::{both, is_ours, polls, within};

#[test]
fn every_way_to_spawn_a_task_leads_to_our_scheduler() {
    for runtime in both() {
        runtime.block_on(within(async {
            assert!(tokio::spawn(is_ours()).await.unwrap());
            assert!(task::spawn(is_ours()).await.unwrap());
            assert!(Handle::current().spawn(is_ours()).await.unwrap());
            assert!(runtime.spawn(is_ours()).await.unwrap());
            let built = task::Builder::new().name("built");
            assert!(built.spawn(is_ours()).unwrap().await.unwrap());
            let built = task::Builder::new();
            let built = built.spawn_on(is_ours(), runtime.handle());
            assert!(built.unwrap().await.unwrap());
            let mut set: JoinSet<bool> = [is_ours()].into_iter().collect();
            set.extend([is_ours()]);
            set.spawn(is_ours());
            set.spawn_on(is_ours(), runtime.handle());
            assert_eq!(set.join_all().await, [true; 4]);
            // The measure itself tells the two apart.
            assert!(!real::spawn(is_ours()).await.unwrap());
        }));
    }
}

#[test]
fn the_schedulers_counters_grow_with_the_tasks() {
    for runtime in both() {
        runtime.block_on(async {
            let before = polls();
            for _ in 0..100 {
                within(tokio::spawn(async {})).await.unwrap();
            }
            assert!(polls() >= before + 100);
        });
    }
}

#[test]
fn tasks_are_spawned_from_outside_the_runtime() {
    for runtime in both() {
        let early = runtime.spawn(async { 1 });
        let entered = {
            let _inside = runtime.enter();
            tokio::spawn(async { 2 })
        };
        let both = async { (early.await.unwrap(), entered.await.unwrap()) };
        assert_eq!(runtime.block_on(within(both)), (1, 2));
    }
}

#[test]
#[should_panic = "no runtime is around"]
fn a_spawn_without_a_runtime_says_so() {
    drop(tokio::spawn(async {}));
}

#[test]
fn a_spawn_after_the_end_is_cancelled() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        drop(runtime);
        let late = handle.spawn(async {});
        let outcome = crate::support::single().block_on(within(late));
        assert!(outcome.unwrap_err().is_cancelled());
    }
}
