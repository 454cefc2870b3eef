//! A runtime of one's own ends in order.

use std::future::pending;
use std::sync::{Arc, mpsc};
use std::thread::{self, ThreadId};
use std::time::Duration;

use greenroom::Runtime;

use super::support::{Drops, LONG, both, multi, single, within};

/// Leaves the thread on which it is dropped.
struct Where(mpsc::Sender<ThreadId>);

impl Drop for Where {
    fn drop(&mut self) {
        self.0.send(thread::current().id()).unwrap();
    }
}

/// Does something when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn every_future_is_dropped_on_a_worker() {
    let runtime = multi(2);
    let (place, places) = mpsc::channel();
    for _ in 0..100 {
        let place = Where(place.clone());
        runtime.spawn(async move {
            let _place = place;
            pending::<()>().await;
        });
    }
    drop(place);
    drop(runtime);
    let places: Vec<_> = places.iter().collect();
    assert_eq!(places.len(), 100);
    assert!(!places.contains(&thread::current().id()));
}

#[test]
fn a_current_thread_runtime_drops_its_futures_where_it_is_dropped() {
    let runtime = single();
    let (place, places) = mpsc::channel();
    let place = Where(place);
    runtime.spawn(async move {
        let _place = place;
        pending::<()>().await;
    });
    drop(runtime);
    assert_eq!(places.iter().collect::<Vec<_>>(), [thread::current().id()]);
}

#[test]
fn tasks_spawned_while_the_runtime_ends_are_cancelled() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        let drops = Drops::default();
        let guard = drops.guard();
        let late = handle.clone();
        let (join, joined) = mpsc::channel();
        let mut guard = Some(guard);
        let spawner = OnDrop(move || {
            let guard = guard.take();
            join.send(late.spawn(async move { drop(guard) })).unwrap();
        });
        runtime.spawn(async move {
            let _spawner = spawner;
            pending::<()>().await;
        });
        drop(runtime);
        let task = joined.recv_timeout(LONG).unwrap();
        assert!(
            futures::executor::block_on(task)
                .unwrap_err()
                .is_cancelled()
        );
        assert_eq!(drops.count(), 1);
    }
}

#[test]
fn dropping_a_runtime_in_async_code_ends_it_in_the_background() {
    for inner in both() {
        let drops = Drops::default();
        let (gone, is_gone) = mpsc::channel();
        let (guard, place) = (drops.guard(), Where(gone));
        inner.spawn(async move {
            let _kept = (guard, place);
            pending::<()>().await;
        });
        multi(1).block_on(async move { drop(inner) });
        is_gone.recv_timeout(LONG).unwrap();
    }
}

#[test]
fn the_last_reference_may_go_inside_the_runtimes_own_task() {
    let runtime = Arc::new(multi(2));
    let (to_task, from_main) = tokio::sync::oneshot::channel::<Arc<Runtime>>();
    let (gone, is_gone) = mpsc::channel();
    let place = Where(gone);
    runtime.spawn(async move {
        let _place = place;
        drop(from_main.await.unwrap());
        pending::<()>().await;
    });
    to_task.send(runtime).unwrap();
    is_gone.recv_timeout(LONG).unwrap();
}

#[test]
fn the_last_reference_may_go_in_a_blocking_job() {
    for runtime in both() {
        let drops = Drops::default();
        let guard = drops.guard();
        runtime.spawn(async move {
            let _guard = guard;
            pending::<()>().await;
        });
        multi(1).block_on(async move {
            let job = tokio::task::spawn_blocking(move || drop(runtime));
            within("the drop", job).await.unwrap();
        });
        assert_eq!(drops.count(), 1);
    }
}

#[test]
fn a_shutdown_with_a_limit_says_what_is_left() {
    let runtime = multi(2);
    let (enter, entered) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    runtime.spawn(async move {
        enter.send(()).unwrap();
        // A poll that does not return.
        released.recv().unwrap_err();
    });
    runtime.spawn(pending::<()>());
    entered.recv_timeout(LONG).unwrap();
    let shutdown = runtime.shutdown_timeout(Duration::from_millis(50));
    assert_eq!(shutdown.left, 1);
    drop(release);

    for runtime in both() {
        runtime.spawn(pending::<()>());
        assert_eq!(runtime.shutdown_timeout(LONG).left, 0);
    }
}

#[test]
fn a_shutdown_in_the_background_does_not_wait() {
    for runtime in both() {
        let (gone, is_gone) = mpsc::channel();
        let place = Where(gone);
        runtime.spawn(async move {
            let _place = place;
            pending::<()>().await;
        });
        runtime.shutdown_background();
        is_gone.recv_timeout(LONG).unwrap();
    }
}

#[test]
fn joining_after_the_shutdown_says_cancelled() {
    for runtime in both() {
        let task = runtime.spawn(pending::<()>());
        drop(runtime);
        let error = multi(1).block_on(within("the end", task)).unwrap_err();
        assert!(error.is_cancelled());
    }
}

#[test]
fn a_panic_in_main_still_drops_every_future() {
    for runtime in both() {
        let drops = Drops::default();
        let guard = drops.guard();
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            runtime.block_on(async {
                greenroom::spawn(async move {
                    let _guard = guard;
                    let _timer = tokio::time::sleep(LONG);
                    pending::<()>().await;
                });
                panic!("main gives up");
            });
        }));
        assert!(panic.is_err());
        assert_eq!(drops.count(), 1);
    }
}
