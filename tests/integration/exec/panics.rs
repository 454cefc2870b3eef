//! Panics of wakers and of drops cost no worker, no other task, and no process.

use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use greenroom::{JoinHandle, Runtime, yield_now};
use tokio::sync::oneshot;

use super::support::{Drops, Guard, LONG, both, multi, single, tokio_multi, tokio_single, within};
use crate::alone::alone;

/// Panics when it wakes or is dropped, whichever is asked for.
struct Hostile {
    wakes: AtomicUsize,
    in_drop: bool,
}

impl Wake for Hostile {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        assert!(self.in_drop, "a waker that panics");
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        assert!(!self.in_drop, "a waker that panics when it is dropped");
    }
}

fn hostile(in_drop: bool) -> (Arc<Hostile>, Waker) {
    let wakes = AtomicUsize::new(0);
    let hostile = Arc::new(Hostile { wakes, in_drop });
    (Arc::clone(&hostile), Waker::from(hostile))
}

fn poll_with<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// Waits without a waker in the task's cell.
async fn until_finished<T>(task: &JoinHandle<T>) {
    while !task.is_finished() {
        yield_now().await;
    }
}

/// Fails unless all workers run tasks still.
fn assert_unharmed(runtime: &Runtime) {
    runtime.block_on(async {
        let tasks: Vec<_> = (0..100_u32)
            .map(|i| {
                greenroom::spawn(async move {
                    yield_now().await;
                    i
                })
            })
            .collect();
        for (task, i) in tasks.into_iter().zip(0..) {
            assert_eq!(within("the output", task).await.unwrap(), i);
        }
        // Those that nobody joins, too.
        let rest = async {
            while runtime.metrics().live > 0 {
                tokio::task::yield_now().await;
            }
        };
        within("the end of all", rest).await;
    });
}

#[test]
fn a_joiner_whose_waker_panics_costs_neither_output_nor_worker() {
    for runtime in both() {
        for in_drop in [false, true] {
            let mut gates = Vec::new();
            let mut tasks: Vec<JoinHandle<u32>> = Vec::new();
            let mut wakers = Vec::new();
            for _ in 0..20 {
                let (go, gate) = oneshot::channel::<u32>();
                let mut task = runtime.spawn(async move { gate.await.unwrap() });
                let (count, waker) = hostile(in_drop);
                assert!(poll_with(&mut task, &waker).is_pending());
                drop(waker);
                if in_drop {
                    // The task's is the last one.
                    drop(count);
                } else {
                    wakers.push(count);
                }
                gates.push(go);
                tasks.push(task);
            }
            for go in gates {
                go.send(7).unwrap();
            }
            for task in tasks {
                runtime.block_on(within("the end", until_finished(&task)));
                assert_eq!(runtime.block_on(within("the output", task)).unwrap(), 7);
            }
            let woken = wakers
                .iter()
                .all(|waker| waker.wakes.load(Ordering::SeqCst) == 1);
            assert!(woken);
            assert_unharmed(&runtime);
        }
    }
}

#[test]
fn a_task_that_wakes_a_hostile_waker_of_a_channel_fails_alone() {
    for runtime in both() {
        runtime.block_on(async {
            let (send, mut receive) = oneshot::channel::<()>();
            let (_count, waker) = hostile(false);
            assert!(poll_with(&mut receive, &waker).is_pending());
            let sender = greenroom::spawn(async move { send.send(()) });
            let error = within("the end", sender).await.unwrap_err();
            assert!(error.to_string().contains("a waker that panics"), "{error}");
        });
        assert_unharmed(&runtime);
    }
}

/// Panics when it is dropped.
struct Fragile {
    _guard: Guard,
}

impl Fragile {
    fn new(drops: &Drops) -> Self {
        Self {
            _guard: drops.guard(),
        }
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        resume_unwind(Box::new("fragile"));
    }
}

/// Tasks that hold something fragile: one that waits, one that was never polled, one that ends
/// with it, and one whose output it is.
fn fragile_tasks(spawn: &greenroom::runtime::Handle, drops: &Drops) -> Vec<JoinHandle<()>> {
    let [waits, unpolled, ends, output] = [(); 4].map(|()| Fragile::new(drops));
    drop(spawn.spawn(async move { output }));
    let waits = spawn.spawn(async move {
        let _fragile = waits;
        pending::<()>().await;
    });
    let ends = spawn.spawn(poll_fn(move |_| {
        let _ = &ends;
        Poll::Ready(())
    }));
    let unpolled = spawn.spawn(async move { drop(unpolled) });
    unpolled.abort();
    vec![waits, ends, unpolled]
}

fn assert_told(task: Result<(), greenroom::JoinError>) {
    let error = task.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("panicked with message \"fragile\""),
        "{error}"
    );
}

#[test]
fn a_drop_that_panics_is_the_error_of_its_task_alone() {
    for runtime in both() {
        let drops = Drops::default();
        for _ in 0..50 {
            let mut tasks = fragile_tasks(runtime.handle(), &drops);
            let waits = tasks.remove(0);
            runtime.block_on(async {
                yield_now().await;
                waits.abort();
                assert_told(within("the end", waits).await);
                for task in tasks {
                    assert_told(within("the end", task).await);
                }
            });
        }
        assert_unharmed(&runtime);
        assert_eq!(drops.count(), 200);
    }
}

#[test]
fn drops_that_panic_do_not_keep_a_runtime_from_its_end() {
    for runtime in both() {
        let drops = Drops::default();
        let tasks: Vec<_> = (0..50)
            .flat_map(|_| fragile_tasks(runtime.handle(), &drops))
            .collect();
        let handle = runtime.handle().clone();
        drop(runtime);
        assert_eq!((drops.count(), handle.metrics().live), (200, 0));
        for task in tasks {
            assert_told(futures::executor::block_on(task));
        }
    }
}

#[test]
fn drops_that_panic_do_not_keep_an_attached_scheduler_from_its_end() {
    for host in [tokio_single(), tokio_multi(2)] {
        let drops = Drops::default();
        let handle = greenroom::runtime::attach(host.handle()).unwrap();
        let tasks: Vec<_> = (0..50)
            .flat_map(|_| fragile_tasks(&handle, &drops))
            .collect();
        drop(host);
        assert_eq!((drops.count(), handle.metrics().live), (200, 0));
        for task in tasks {
            assert_told(futures::executor::block_on(task));
        }
    }
}

#[test]
fn a_panic_in_main_with_drops_that_panic_does_not_abort_the_process() {
    let body = || {
        for runtime in [single(), multi(2)] {
            let drops = Drops::default();
            let mut tasks = Vec::new();
            let main = AssertUnwindSafe(|| {
                // Dropped by the unwinding, on this thread if it is of one thread.
                let runtime = runtime;
                runtime.block_on(async {
                    tasks = fragile_tasks(runtime.handle(), &drops);
                    panic_any("main gives up");
                });
            });
            assert!(catch_unwind(main).is_err());
            assert_eq!(drops.count(), 4);
            for task in tasks {
                assert_told(futures::executor::block_on(task));
            }
        }
    };
    alone(
        "exec::panics::a_panic_in_main_with_drops_that_panic_does_not_abort_the_process",
        body,
    );
}

#[test]
fn an_output_that_panics_when_its_handle_drops_it_panics_nowhere() {
    for runtime in both() {
        let drops = Drops::default();
        let fragile = Fragile::new(&drops);
        let task = runtime.spawn(async move { fragile });
        runtime.block_on(async {
            within("the end", until_finished(&task)).await;
        });
        drop(task);
        assert_eq!(drops.count(), 1);
        assert_unharmed(&runtime);
    }
}

#[test]
fn a_payload_that_panics_when_it_is_dropped_stays_where_it_is() {
    for runtime in both() {
        let drops = Drops::default();
        for _ in 0..20 {
            let fragile = Fragile::new(&drops);
            drop(runtime.spawn(async move { resume_unwind(Box::new(fragile)) }));
        }
        let wait = async {
            while drops.count() < 20 {
                yield_now().await;
            }
        };
        runtime.block_on(async { tokio::time::timeout(LONG, wait).await.unwrap() });
        assert_unharmed(&runtime);
    }
}
