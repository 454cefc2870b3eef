//! Libraries know tokio itself, and meet the app's types.

use std::any::TypeId;

use real::runtime::Handle as LibraryHandle;

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::support::{both, is_ours, polls, within};

/// A library's function, which spawns on whatever runtime it finds.
fn library_spawns() -> real::task::JoinHandle<u8> {
    real::spawn(async { 7 })
}

/// A library's function, which spawns on the runtime that it is told.
fn library_spawns_on(handle: &LibraryHandle) -> real::task::JoinHandle<u8> {
    handle.spawn(async { 7 })
}

/// A library's type, which keeps the handle.
struct LibraryClient(LibraryHandle);

#[test]
fn a_library_spawns_on_tokios_scheduler_of_the_same_runtime() {
    for runtime in both() {
        runtime.block_on(async {
            let before = polls();
            assert_eq!(within(library_spawns()).await.unwrap(), 7);
            assert_eq!(polls(), before);
            let inside = tokio::spawn(async { library_spawns().await.unwrap() });
            assert_eq!(within(inside).await.unwrap(), 7);
        });
    }
}

#[test]
fn both_schedulers_tasks_talk_to_each_other() {
    for runtime in both() {
        let total = runtime.block_on(async {
            let (sender, mut numbers) = mpsc::channel::<u32>(1);
            for n in 0..50 {
                let (ours, theirs) = (sender.clone(), sender.clone());
                tokio::spawn(async move { ours.send(n).await });
                real::spawn(async move { theirs.send(n).await });
            }
            drop(sender);
            let sum = tokio::spawn(async move {
                let mut sum = 0;
                while let Some(n) = numbers.recv().await {
                    sum += n;
                }
                sum
            });
            within(sum).await.unwrap()
        });
        assert_eq!(total, 2 * (0..50).sum::<u32>());
    }
}

#[test]
fn a_library_that_wants_tokios_runtime_handle_gets_it_from_ours() {
    for runtime in both() {
        runtime.block_on(async {
            let handle = Handle::current();
            assert_eq!(within(library_spawns_on(&handle)).await.unwrap(), 7);
            let client = LibraryClient(handle.clone().into());
            assert_eq!(client.0.id(), handle.id());
            // And back: the scheduler is the same.
            let back = Handle::from(client.0);
            assert!(back.spawn(is_ours()).await.unwrap());
        });
        assert_eq!(
            runtime
                .block_on(library_spawns_on(runtime.handle()))
                .unwrap(),
            7
        );
    }
}

/// A library's function, which needs a runtime to block on.
fn library_blocks_on(runtime: &real::runtime::Runtime) -> u8 {
    runtime.block_on(async { library_spawns().await.unwrap() })
}

#[test]
fn a_library_that_wants_tokios_runtime_gets_a_reference_from_ours() {
    for runtime in both() {
        assert_eq!(library_blocks_on(&runtime), 7);
    }
}

#[test]
fn what_tokio_counts_of_tasks_leaves_ours_out() {
    for runtime in both() {
        let library: &LibraryHandle = runtime.handle();
        let theirs = library.metrics();
        let before = theirs.num_alive_tasks();
        let (finish, end) = oneshot::channel::<()>();
        let task = runtime.spawn(end);
        assert_eq!(
            (
                theirs.num_alive_tasks(),
                runtime.metrics().num_alive_tasks()
            ),
            (before, 1)
        );
        drop(finish);
        assert!(runtime.block_on(within(task)).unwrap().is_err());
    }
}

#[test]
fn a_library_that_wants_tokios_join_handle_gets_a_task_that_waits_for_ours() {
    let ours = TypeId::of::<tokio::task::JoinHandle<u8>>();
    assert_ne!(ours, TypeId::of::<real::task::JoinHandle<u8>>());
    for runtime in both() {
        let output = runtime.block_on(async {
            let task = tokio::spawn(async { 7 });
            let relay: real::task::JoinHandle<_> = real::spawn(task);
            within(relay).await
        });
        assert_eq!(output.unwrap().unwrap(), 7);
    }
}
