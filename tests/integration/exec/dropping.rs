//! A runtime may be dropped anywhere, and waits where it can.

use std::future::pending;
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use greenroom::{Runtime, actor, yield_now};

use super::support::{LONG, both, multi, single, tokio_multi, tokio_single, within};

/// Says when it is dropped.
struct Last(mpsc::Sender<()>);

impl Drop for Last {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// Puts a task into the runtime that says when it is gone.
fn occupy(runtime: &Runtime) -> Receiver<()> {
    let (gone, is_gone) = mpsc::channel();
    let last = Last(gone);
    runtime.spawn(async move {
        let _last = last;
        pending::<()>().await;
    });
    is_gone
}

/// The runtime, to be taken by whoever drops it.
type Shared = Arc<Mutex<Option<Runtime>>>;

fn share(runtime: Runtime) -> Shared {
    Arc::new(Mutex::new(Some(runtime)))
}

fn take(shared: &Shared) -> Option<Runtime> {
    shared.lock().unwrap().take()
}

#[test]
fn in_a_blocking_job_of_another_runtime_it_waits() {
    for runtime in both() {
        for host in [tokio_single(), tokio_multi(1)] {
            let runtime = if runtime.handle().runtime_flavor() == host.handle().runtime_flavor() {
                single()
            } else {
                multi(2)
            };
            let is_gone = occupy(&runtime);
            let job = host.spawn_blocking(move || {
                drop(runtime);
                is_gone.try_recv()
            });
            let gone = host.block_on(within("the drop", job)).unwrap();
            assert_eq!(gone, Ok(()));
        }
    }
}

#[test]
fn in_a_blocking_section_of_another_runtime_it_waits() {
    for runtime in both() {
        let is_gone = occupy(&runtime);
        let gone = tokio_multi(1).block_on(async {
            tokio::task::block_in_place(|| {
                drop(runtime);
                is_gone.try_recv()
            })
        });
        assert_eq!(gone, Ok(()));
    }
}

#[test]
fn on_a_thread_that_has_entered_another_runtime_it_waits() {
    for runtime in both() {
        let is_gone = occupy(&runtime);
        let other = tokio_single();
        let _guard = other.enter();
        assert_eq!(runtime.shutdown_timeout(LONG).left, 0);
        assert_eq!(is_gone.try_recv(), Ok(()));
    }
}

#[test]
fn in_tasks_of_another_runtime_it_does_not_wait() {
    for host in [single(), multi(1)] {
        for ours in [true, false] {
            for runtime in both() {
                let (release, released) = mpsc::channel::<()>();
                // Would be waited for, and so for ever.
                let job = runtime.spawn_blocking(move || released.recv().unwrap_err());
                let is_gone = occupy(&runtime);
                let end = async move { drop(runtime) };
                let ended = if ours {
                    host.block_on(within("the drop", host.spawn(end))).is_ok()
                } else {
                    let task = host.tokio_handle().spawn(end);
                    host.block_on(within("the drop", task)).is_ok()
                };
                assert!(ended);
                is_gone.recv_timeout(LONG).unwrap();
                drop(release);
                let _ = futures::executor::block_on(job);
            }
        }
    }
}

#[test]
fn in_its_own_task_it_does_not_wait() {
    let runtime = multi(2);
    let is_gone = occupy(&runtime);
    let (handle, shared) = (runtime.handle().clone(), share(runtime));
    let dropped = handle.spawn(async move {
        drop(take(&shared));
        yield_now().await;
    });
    let error = futures::executor::block_on(dropped).unwrap_err();
    assert!(error.is_cancelled());
    is_gone.recv_timeout(LONG).unwrap();
}

#[actor]
struct Ender {
    held: Shared,
}

#[actor]
impl Ender {
    fn end(&mut self) {
        drop(take(&self.held));
    }
}

#[test]
fn in_a_handler_of_its_own_actor_it_does_not_wait() {
    let runtime = multi(2);
    let is_gone = occupy(&runtime);
    let handle = runtime.handle().clone();
    let held = share(runtime);
    let ender = {
        let _guard = handle.enter();
        Ender { held }.spawn()
    };
    futures::executor::block_on(ender.end()).unwrap();
    is_gone.recv_timeout(LONG).unwrap();
    let reason = futures::executor::block_on(greenroom::Handle::join(&ender));
    assert!(matches!(reason, greenroom::ExitReason::RuntimeGone));
}

#[test]
fn in_its_own_blocking_section_it_does_not_wait() {
    let runtime = multi(2);
    let is_gone = occupy(&runtime);
    let (handle, shared) = (runtime.handle().clone(), share(runtime));
    let dropped = handle.spawn(async move {
        tokio::task::block_in_place(|| drop(take(&shared)));
    });
    futures::executor::block_on(dropped).unwrap();
    is_gone.recv_timeout(LONG).unwrap();
}

#[test]
fn in_its_own_blocking_job_it_does_not_wait() {
    for runtime in both() {
        let is_gone = occupy(&runtime);
        let (handle, shared) = (runtime.handle().clone(), share(runtime));
        let (done, is_done) = mpsc::channel();
        handle.spawn_blocking(move || {
            // Even where another runtime is the one around.
            let other = tokio_multi(1);
            let _guard = other.enter();
            drop(take(&shared));
            done.send(()).unwrap();
        });
        is_done.recv_timeout(LONG).unwrap();
        is_gone.recv_timeout(LONG).unwrap();
    }
}

/// Drops a runtime when it is woken by a timer.
struct OnWake(Shared);

impl std::task::Wake for OnWake {
    fn wake(self: Arc<Self>) {
        drop(take(&self.0));
    }
}

#[test]
fn in_a_callback_of_its_own_timer_it_does_not_wait() {
    let runtime = multi(1);
    let is_gone = occupy(&runtime);
    let handle = runtime.handle().clone();
    let waker = Arc::new(OnWake(share(runtime))).into();
    let mut timer = {
        let _guard = handle.enter();
        Box::pin(tokio::time::timeout(
            Duration::from_millis(1),
            pending::<()>(),
        ))
    };
    let first = Future::poll(timer.as_mut(), &mut Context::from_waker(&waker));
    if first.is_pending() {
        is_gone.recv_timeout(LONG).unwrap();
    }
}

#[test]
fn a_task_without_a_budget_may_drop_another_runtime() {
    for host in [single(), multi(1)] {
        for runtime in both() {
            let is_gone = occupy(&runtime);
            let task = host.spawn(tokio::task::unconstrained(async move { drop(runtime) }));
            host.block_on(within("the drop", task)).unwrap();
            is_gone.recv_timeout(LONG).unwrap();
        }
    }
}

/// A future that looks at how much it may still do.
struct Budget(usize);

impl Future for Budget {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<usize> {
        while let Poll::Ready(unit) = tokio::task::coop::poll_proceed(cx) {
            unit.made_progress();
            self.0 += 1;
        }
        Poll::Ready(self.0)
    }
}

#[test]
fn to_drop_a_runtime_costs_a_task_none_of_its_budget() {
    let host = single();
    let (before, after) = host.block_on(async {
        let before = greenroom::spawn(Budget(0)).await.unwrap();
        let after = greenroom::spawn(async {
            drop(multi(1));
            Budget(0).await
        });
        (before, after.await.unwrap())
    });
    assert!(before > 0);
    assert_eq!(before, after);
}

#[test]
fn a_runtime_in_a_struct_with_its_handles_is_dropped_in_either_order() {
    for runtime in both() {
        let task = runtime.spawn(pending::<()>());
        let handle = runtime.handle().clone();
        let held = (handle, task, runtime);
        drop(held);
    }
    for runtime in both() {
        let task = runtime.spawn(pending::<()>());
        let handle = runtime.handle().clone();
        let held = (runtime, task, handle);
        drop(held);
    }
}

#[test]
fn crowds_of_runtimes_come_and_go_at_once() {
    let threads: Vec<_> = (0..100)
        .map(|index| {
            thread::spawn(move || {
                let runtime = if index % 4 == 0 { single() } else { multi(2) };
                let is_gone = occupy(&runtime);
                let sum = runtime.block_on(async {
                    let tasks = (0..10_u32).map(|n| greenroom::spawn(async move { n }));
                    let mut sum = 0;
                    for task in tasks.collect::<Vec<_>>() {
                        sum += within("the output", task).await.unwrap();
                    }
                    sum
                });
                assert_eq!(sum, 45);
                match index % 3 {
                    0 => drop(runtime),
                    1 => assert_eq!(runtime.shutdown_timeout(LONG).left, 0),
                    _ => runtime.shutdown_background(),
                }
                is_gone.recv_timeout(LONG).unwrap();
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
