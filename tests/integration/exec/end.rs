//! An attached scheduler ends with its host, and keeps nothing of it.

use std::future::pending;
use std::sync::{Arc, Mutex, mpsc};

use greenroom::{block_in_place, runtime, spawn};

use super::support::{Drops, Guard, LONG, tokio_multi, tokio_single, within};

#[test]
fn a_dropped_host_drops_all_futures() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(host.handle()).unwrap();
        let drops = Drops::default();
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let guard = drops.guard();
                handle.spawn(async move {
                    let _guard = guard;
                    pending::<()>().await;
                })
            })
            .collect();
        drop(host);
        assert_eq!(drops.count(), 100);
        assert!(handle.is_closed());
        assert_eq!(handle.metrics().live, 0);
        for task in tasks {
            assert!(
                futures::executor::block_on(task)
                    .unwrap_err()
                    .is_cancelled()
            );
        }
    }
}

#[test]
fn after_the_end_spawns_are_refused() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(host.handle()).unwrap();
        drop(host);
        let drops = Drops::default();
        let guard = drops.guard();
        let task = handle.spawn(async move { drop(guard) });
        assert!(
            futures::executor::block_on(task)
                .unwrap_err()
                .is_cancelled()
        );
        assert_eq!(drops.count(), 1);
        let refused = handle.try_spawn(async { 5 }).unwrap_err();
        assert_eq!(futures::executor::block_on(refused.into_inner()), 5);
    }
}

#[test]
fn a_runtime_that_has_ended_can_still_be_attached_to_in_vain() {
    for host in [tokio_single(), tokio_multi(1)] {
        let of_host = host.handle().clone();
        drop(host);
        let handle = runtime::attach(&of_host).unwrap();
        let task = handle.spawn(async {});
        assert!(
            futures::executor::block_on(task)
                .unwrap_err()
                .is_cancelled()
        );
    }
}

/// Spawns, wakes and asks for the runtime when it is dropped.
struct Busybody(Guard, Option<tokio::sync::oneshot::Sender<()>>);

impl Drop for Busybody {
    fn drop(&mut self) {
        let _ = &self.0;
        if let Some(peer) = self.1.take() {
            let _ = peer.send(());
        }
        if let Ok(handle) = runtime::Handle::try_current() {
            drop(handle.spawn(pending::<()>()));
        }
        let _ = handle_metrics();
    }
}

fn handle_metrics() -> Option<usize> {
    runtime::Handle::try_current()
        .ok()
        .map(|handle| handle.metrics().live)
}

#[test]
fn drops_that_spawn_and_wake_during_the_end_do_no_harm() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(host.handle()).unwrap();
        let drops = Drops::default();
        for _ in 0..50 {
            let (wake, woken) = tokio::sync::oneshot::channel();
            let (first, second) = (drops.guard(), drops.guard());
            handle.spawn(async move {
                let _busybody = Busybody(first, Some(wake));
                pending::<()>().await;
            });
            handle.spawn(async move {
                let _busybody = Busybody(second, None);
                let _ = woken.await;
                pending::<()>().await;
            });
        }
        host.block_on(async { tokio::task::yield_now().await });
        drop(host);
        assert_eq!(drops.count(), 100);
    }
}

#[test]
fn handles_in_tasks_and_tasks_in_handles_leak_nothing() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(host.handle()).unwrap();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let drops = Drops::default();
        for _ in 0..10 {
            let (handle_inside, kept_inside) = (handle.clone(), Arc::clone(&kept));
            let guard = drops.guard();
            let task = handle.spawn(async move {
                let _keeps = (handle_inside, kept_inside, guard);
                pending::<()>().await;
            });
            kept.lock().unwrap().push(task);
        }
        drop(host);
        assert_eq!(drops.count(), 10);
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}

#[test]
fn a_task_of_one_host_survives_the_end_of_another() {
    let (first, second) = (tokio_multi(1), tokio_multi(1));
    let [first_handle, second_handle] =
        [&first, &second].map(|host| runtime::attach(host.handle()).unwrap());
    let inner = first_handle.spawn(pending::<()>());
    let outer = second_handle.spawn(async move { inner.await.unwrap_err().is_cancelled() });
    drop(first);
    assert!(second.block_on(within("the answer", outer)).unwrap());
}

/// Drops the host on a thread of its own; says whether that came to an end.
fn ends(host: tokio::runtime::Runtime) -> bool {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        drop(host);
        tell.send(()).unwrap();
    });
    told.recv_timeout(LONG).is_ok()
}

/// A task that is suspended for ever, and keeps the sender of this receiver until it is dropped.
fn keeper(handle: &runtime::Handle) -> mpsc::Receiver<()> {
    let (keep, kept) = mpsc::channel::<()>();
    let (begin, began) = mpsc::channel();
    handle.spawn(async move {
        begin.send(()).unwrap();
        pending::<()>().await;
        drop(keep);
    });
    began.recv_timeout(LONG).unwrap();
    kept
}

#[test]
fn a_host_ends_while_a_task_blocks_for_what_another_keeps() {
    for in_place in [true, false] {
        let host = tokio_multi(2);
        let handle = runtime::attach(host.handle()).unwrap();
        let kept = keeper(&handle);
        let (begin, began) = mpsc::channel();
        let task = handle.spawn(async move {
            let wait = || {
                begin.send(()).unwrap();
                kept.recv()
            };
            if in_place {
                block_in_place(wait)
            } else {
                wait()
            }
        });
        began.recv_timeout(LONG).unwrap();
        assert!(ends(host), "in place: {in_place}");
        assert_eq!(handle.metrics().live, 0);
        let ended = futures::executor::block_on(task);
        assert_eq!(ended.unwrap(), Err(mpsc::RecvError), "its last poll counts");
    }
}

/// Says, when it is dropped, that its thread is about to block.
struct Blocks;

impl Drop for Blocks {
    fn drop(&mut self) {
        block_in_place(|| ());
    }
}

#[test]
fn what_a_task_that_blocks_spawns_while_its_host_ends_is_cancelled() {
    let host = tokio_multi(1);
    let handle = runtime::attach(host.handle()).unwrap();
    let kept = keeper(&handle);
    let (begin, began) = mpsc::channel();
    let task = handle.spawn(async move {
        block_in_place(|| {
            begin.send(()).unwrap();
            let _ = kept.recv();
            let blocks = Blocks;
            futures::executor::block_on(spawn(async move {
                pending::<()>().await;
                drop(blocks);
            }))
        })
    });
    began.recv_timeout(LONG).unwrap();
    assert!(ends(host));
    let inner = futures::executor::block_on(task).unwrap();
    assert!(inner.unwrap_err().is_cancelled());
}
