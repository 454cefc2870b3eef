//! Tasks that are not `Send` are tokio's.

use std::rc::Rc;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::{LocalSet, spawn_local};

use crate::support::{both, is_ours, multi, within};

#[test]
fn a_local_set_runs_tokios_tasks_and_gives_its_handles() {
    for runtime in both() {
        let set = LocalSet::new();
        let sum = set.block_on(&runtime, async {
            let one = Rc::new(1);
            let local: real::task::JoinHandle<i32> = spawn_local(async move { *one + 1 });
            let ours: tokio::task::JoinHandle<i32> = tokio::spawn(async { 3 });
            within(local).await.unwrap() + within(ours).await.unwrap()
        });
        assert_eq!(sum, 5);
    }
}

#[test]
fn spawn_local_inside_our_tasks_panics_as_inside_tokios() {
    for runtime in both() {
        let ours = runtime.spawn(async { drop(spawn_local(async {})) });
        assert!(runtime.block_on(within(ours)).unwrap_err().is_panic());
    }
}

#[test]
fn spawn_local_inside_our_tasks_works_in_a_local_runtime() {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(LocalOptions::default());
    let runtime = runtime.unwrap();
    let ours = runtime.block_on(async {
        let task = tokio::spawn(async { spawn_local(async { 7 }).await.unwrap() });
        within(task).await
    });
    assert_eq!(ours.unwrap(), 7);
}

#[test]
fn our_tasks_run_beside_a_local_set_on_a_multi_thread_runtime() {
    let set = LocalSet::new();
    let ran = set.block_on(&multi(), async { tokio::spawn(is_ours()).await.unwrap() });
    assert!(ran);
}
