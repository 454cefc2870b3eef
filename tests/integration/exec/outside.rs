//! Tasks that come from outside: seen by whoever drives, and each answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use greenroom::{JoinHandle, yield_now};
use tokio::sync::oneshot;

use super::support::{multi, single, tokio_single, within};

#[test]
fn single_spawns_from_outside_are_each_answered() {
    for workers in [1, 2, 8] {
        let runtime = multi(workers);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let spawner = scope.spawn(|| {
                for i in 0..20_000 {
                    let (answer, answered) = std::sync::mpsc::channel();
                    drop(runtime.spawn(async move { answer.send(i).unwrap() }));
                    assert_eq!(answered.recv_timeout(super::support::LONG), Ok(i));
                }
                is_over.store(true, Ordering::Relaxed);
            });
            // Whoever looks at it from outside disturbs nobody.
            while !is_over.load(Ordering::Relaxed) && !spawner.is_finished() {
                let metrics = runtime.metrics();
                assert!(metrics.sleeping <= metrics.workers.len());
                thread::yield_now();
            }
        });
    }
}

/// A task that yields, spawns a child of its own, and waits for it.
fn family(handle: &greenroom::runtime::Handle, ended: &Arc<AtomicUsize>) -> JoinHandle<()> {
    let ended = Arc::clone(ended);
    handle.spawn(async move {
        yield_now().await;
        let count = Arc::clone(&ended);
        greenroom::spawn(async move {
            yield_now().await;
            count.fetch_add(1, Ordering::AcqRel);
        })
        .await
        .unwrap();
        ended.fetch_add(1, Ordering::AcqRel);
    })
}

#[test]
fn tasks_end_whoever_drives_and_from_wherever_they_came() {
    let host = tokio_single();
    let handle = greenroom::runtime::attach(host.handle()).unwrap();
    let ended = Arc::new(AtomicUsize::new(0));
    let mut families = Vec::new();
    // From other threads, while nobody drives.
    thread::scope(|scope| {
        let spawners = [(); 2].map(|()| scope.spawn(|| [(); 50].map(|()| family(&handle, &ended))));
        for spawner in spawners {
            families.extend(spawner.join().unwrap());
        }
    });
    assert_eq!(ended.load(Ordering::Acquire), 0);
    // Driven in parts, each of which stops in the middle of things; by several threads in turn.
    for _ in 0..3 {
        host.block_on(async { tokio::task::yield_now().await });
        thread::scope(|scope| {
            scope.spawn(|| host.block_on(async { tokio::task::yield_now().await }));
        });
        families.push(family(&handle, &ended));
    }
    let waiter = thread::spawn(move || {
        host.block_on(async {
            for family in families {
                within("the end of a family", family).await.unwrap();
            }
        });
    });
    waiter.join().unwrap();
    assert_eq!(ended.load(Ordering::Acquire), 206);
}

#[test]
fn a_task_woken_while_nobody_drives_runs_for_the_next_who_does() {
    let host = tokio_single();
    let handle = greenroom::runtime::attach(host.handle()).unwrap();
    for _ in 0..100 {
        let (wake, woken) = oneshot::channel::<()>();
        let task = handle.spawn(async move { woken.await.unwrap() });
        host.block_on(async { tokio::task::yield_now().await });
        wake.send(()).unwrap();
        host.block_on(within("the task", task)).unwrap();
    }
}

#[test]
fn several_threads_that_drive_at_once_strand_nothing() {
    let runtime = single();
    let ended = Arc::new(AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let family = family(runtime.handle(), &ended);
                    runtime.block_on(within("the family", family)).unwrap();
                }
            });
        }
    });
    assert_eq!(ended.load(Ordering::Acquire), 800);
}
