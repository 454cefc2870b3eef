//! `block_in_place`, and blocking without it.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::{Context, Wake, Waker};

use greenroom::{Runtime, actor, block_in_place, spawn, yield_now};
use tokio::runtime::Handle;
use tokio::sync::mpsc::unbounded_channel;

use super::support::{LONG, multi, single, within};

/// More than the budget of a poll.
const OPERATIONS: usize = 10_000;

/// Nobody looks after stuck workers.
fn unwatched(workers: usize) -> Runtime {
    Runtime::builder()
        .worker_threads(workers)
        .monitor(false)
        .build()
        .unwrap()
}

#[actor]
struct Adder {
    sum: usize,
}

#[actor]
impl Adder {
    fn add(&mut self, n: usize) -> usize {
        self.sum += n;
        self.sum
    }

    /// Blocks on all kinds of operations that are ready.
    fn block(&mut self) {
        let other = Adder { sum: 0 }.spawn();
        block_in_place(|| futures::executor::block_on(ready_operations(other)));
    }
}

/// Operations of tokio's channels and of our mailboxes that need not wait.
async fn ready_operations(adder: AdderHandle) {
    let (send, mut receive) = unbounded_channel();
    for i in 0..OPERATIONS {
        send.send(i).unwrap();
        assert_eq!(receive.recv().await, Some(i));
        adder.add(1).await.unwrap();
        adder.add(1).tell().await.unwrap();
    }
    assert_eq!(adder.add(0).await.unwrap(), 2 * OPERATIONS);
}

#[test]
fn what_a_task_has_woken_runs_at_once_while_it_blocks() {
    for workers in [1, 2] {
        let runtime = unwatched(workers);
        let task = runtime.spawn(async {
            for i in 0..50 {
                let (tell, told) = mpsc::channel();
                spawn(async move { tell.send(i).unwrap() });
                assert_eq!(block_in_place(|| told.recv_timeout(LONG)), Ok(i));
            }
        });
        runtime.block_on(within("the task", task)).unwrap();
    }
}

#[test]
fn what_the_blocking_code_spawns_runs_meanwhile() {
    let runtime = unwatched(1);
    let task = runtime.spawn(async {
        block_in_place(|| {
            (0..50)
                .map(|i| Handle::current().block_on(spawn(async move { i })).unwrap())
                .sum::<usize>()
        })
    });
    assert_eq!(runtime.block_on(within("the task", task)).unwrap(), 1225);
}

#[test]
fn any_number_of_tasks_may_block_for_each_other() {
    let runtime = unwatched(1);
    let (mut tell, told) = mpsc::channel();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let (next, gate) = mpsc::channel::<()>();
        let pass = std::mem::replace(&mut tell, next);
        // Each waits for one that is spawned after it.
        tasks.push(runtime.spawn(async move {
            block_in_place(|| gate.recv_timeout(LONG)).unwrap();
            yield_now().await;
            pass.send(()).unwrap();
        }));
    }
    tell.send(()).unwrap();
    runtime.block_on(async {
        for task in tasks {
            within("a task", task).await.unwrap();
        }
    });
    told.recv_timeout(LONG).unwrap();
}

#[test]
fn yields_of_a_nested_driver_end() {
    for theirs in [false, true] {
        let runtime = unwatched(1);
        let task = runtime.spawn(async move {
            block_in_place(|| {
                Handle::current().block_on(async {
                    for _ in 0..100 {
                        if theirs {
                            tokio::task::yield_now().await;
                        } else {
                            yield_now().await;
                        }
                    }
                });
            });
        });
        runtime.block_on(within("the task", task)).unwrap();
    }
}

#[test]
fn a_foreign_driver_inside_it_has_no_budget() {
    let runtime = multi(2);
    let task = runtime.spawn(async {
        let adder = Adder { sum: 0 }.spawn();
        block_in_place(|| futures::executor::block_on(ready_operations(adder)));
    });
    runtime.block_on(within("the task", task)).unwrap();
    let handler = runtime.spawn(async { Adder { sum: 0 }.spawn().block().await });
    runtime
        .block_on(within("the handler", handler))
        .unwrap()
        .unwrap();
}

/// Counts wakes, as the waker of a foreign driver.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// How many receives a foreign driver gets done in one poll, and how often it is woken meanwhile.
async fn receives_in_a_row(has_budget: bool) -> (usize, usize) {
    let (send, mut receive) = unbounded_channel();
    (0..OPERATIONS).for_each(|i| send.send(i).unwrap());
    let done = AtomicUsize::new(0);
    let work = async {
        for _ in 0..OPERATIONS {
            receive.recv().await.unwrap();
            done.fetch_add(1, Ordering::SeqCst);
        }
    };
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    let mut cx = Context::from_waker(&waker);
    let polled = if has_budget {
        pin!(work).poll(&mut cx)
    } else {
        pin!(tokio::task::unconstrained(work)).poll(&mut cx)
    };
    assert_eq!(polled.is_pending(), has_budget);
    (done.load(Ordering::SeqCst), bell.0.load(Ordering::SeqCst))
}

/// A driver that parks now, in the middle of its task's poll, is never woken: tokio wakes it when
/// that poll has ended. So it is on tokio's scheduler, and so it is on ours.
#[test]
fn a_foreign_driver_without_it_stops_when_the_budget_is_spent_as_on_tokio() {
    for runtime in [single(), multi(2)] {
        runtime.block_on(async {
            let theirs = tokio::spawn(receives_in_a_row(true)).await.unwrap();
            assert!(theirs.0 <= 128 && theirs.1 == 0, "{theirs:?}");
            let ours = spawn(receives_in_a_row(true)).await.unwrap();
            // Ours has spent one operation of its budget on getting it.
            assert_eq!(ours, (theirs.0 - 1, theirs.1));
            let theirs = tokio::spawn(receives_in_a_row(false)).await.unwrap();
            assert_eq!(theirs, (OPERATIONS, 0));
            let ours = spawn(receives_in_a_row(false)).await.unwrap();
            assert_eq!(ours, theirs);
        });
    }
}

#[test]
fn on_a_current_thread_runtime_the_panic_is_tokios() {
    single().block_on(async {
        let theirs = tokio::spawn(async { tokio::task::block_in_place(|| ()) });
        let theirs = theirs.await.unwrap_err().to_string();
        let theirs = theirs.split_once("panicked").unwrap().1.to_owned();
        assert!(theirs.contains("multi-threaded runtime"));
        let (tell, told) = tokio::sync::oneshot::channel();
        let task = spawn(async {
            spawn(async { tell.send(7) });
            block_in_place(|| ());
        });
        let ours = task.await.unwrap_err().to_string();
        assert!(ours.ends_with(&theirs), "{ours}");
        assert_eq!(told.await, Ok(7), "nothing is lost");
    });
}

#[test]
fn outside_of_our_tasks_it_is_tokios() {
    assert_eq!(block_in_place(|| 1), 1);
    let runtime = multi(1);
    let in_main = async { block_in_place(|| Handle::current().block_on(spawn(async { 2 }))) };
    assert_eq!(runtime.block_on(in_main).unwrap(), 2);
    let task = runtime
        .tokio_handle()
        .spawn(async { block_in_place(|| Handle::current().block_on(spawn(async { 3 }))) });
    assert_eq!(runtime.block_on(task).unwrap().unwrap(), 3);
    let job = runtime.spawn_blocking(|| block_in_place(|| 4));
    assert_eq!(runtime.block_on(job).unwrap(), 4);
}

#[test]
fn a_panic_in_it_is_the_tasks_and_the_worker_goes_on() {
    let runtime = unwatched(1);
    let task = runtime.spawn(async { block_in_place(|| panic!("on purpose")) });
    let error: Result<(), _> = runtime.block_on(task);
    assert!(error.unwrap_err().is_panic());
    let next = runtime.spawn(async { 7 });
    assert_eq!(runtime.block_on(within("the next", next)).unwrap(), 7);
}

#[test]
fn nested_sections_and_many_after_another_leave_the_workers_as_they_were() {
    let runtime = unwatched(2);
    let tasks: Vec<_> = (0..100)
        .map(|i| {
            runtime.spawn(async move {
                let inner = block_in_place(|| block_in_place(|| i));
                yield_now().await;
                block_in_place(|| inner + 1)
            })
        })
        .collect();
    runtime.block_on(async {
        for (i, task) in tasks.into_iter().enumerate() {
            assert_eq!(within("a task", task).await.unwrap(), i + 1);
        }
    });
    let began = std::time::Instant::now();
    while runtime.metrics().sleeping < 2 {
        assert!(
            began.elapsed() < LONG,
            "a worker is lost: {:?}",
            runtime.metrics()
        );
        std::thread::yield_now();
    }
    assert_eq!(runtime.metrics().live, 0);
}

#[test]
fn a_runtime_ends_while_a_task_blocks() {
    let runtime = unwatched(1);
    let ((begin, began), (go, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let task = runtime.spawn(async move {
        block_in_place(|| {
            begin.send(()).unwrap();
            let _ = gate.recv_timeout(LONG);
        });
        7
    });
    began.recv_timeout(LONG).unwrap();
    let handle = runtime.handle().clone();
    runtime.shutdown_background();
    assert!(handle.is_closed());
    drop(go);
    let ended = futures::executor::block_on(task);
    assert!(
        ended.is_ok_and(|output| output == 7),
        "its last poll counts"
    );
}
