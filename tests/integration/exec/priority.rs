//! Background tasks: they run when nothing else waits, and their share is never zero.

use std::future::{Future, pending};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use greenroom::runtime::Handle;
use greenroom::{JoinHandle, Priority, Runtime, TaskBuilder, limits, spawn, yield_now};
use tokio::sync::{mpsc, oneshot};

use super::support::{Drops, LONG, both, multi, single, within};

fn background<F>(future: F, scheduler: &Handle) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let builder = TaskBuilder::new().priority(Priority::Background);
    builder.spawn_on(future, scheduler)
}

#[test]
fn a_background_task_runs_after_all_that_wait() {
    for seed in [None, Some(7)] {
        let builder = Runtime::builder().current_thread();
        let builder = match seed {
            Some(seed) => builder.seed(seed),
            None => builder,
        };
        let runtime = builder.build().unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let note = |number: usize| {
            let order = Arc::clone(&order);
            async move { order.lock().unwrap().push(number) }
        };
        let last = background(note(100), runtime.handle());
        let first: Vec<_> = (0..50).map(|i| runtime.spawn(note(i))).collect();
        assert_eq!(runtime.metrics().background_queue_depth, 1);
        assert_eq!(runtime.metrics().global_queue_depth, 50);
        runtime.block_on(async {
            within("the last", last).await.unwrap();
            for task in first {
                task.await.unwrap();
            }
        });
        let order = order.lock().unwrap();
        assert_eq!((order.len(), order.last()), (51, Some(&100)));
    }
}

/// Counted in picks: between two polls of the background task others have at most one poll fewer
/// than the interval. One pump has all the picks.
#[test]
fn a_background_task_has_its_share_of_picks_however_busy_the_others_are() {
    for interval in [None, Some(1)] {
        let mut builder = Runtime::builder().current_thread();
        if let Some(interval) = interval {
            // Then every pick looks at the global queue first.
            builder = builder.global_queue_interval(interval);
        }
        let runtime = builder.build().unwrap();
        let (stop, polls) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicUsize::new(0)),
        );
        let busy: Vec<_> = (0..5)
            .map(|_| {
                let (stop, polls) = (Arc::clone(&stop), Arc::clone(&polls));
                runtime.spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        polls.fetch_add(1, Ordering::Relaxed);
                        yield_now().await;
                    }
                })
            })
            .collect();
        let counts = async move {
            let mut counts = Vec::new();
            for _ in 0..20 {
                counts.push(polls.swap(0, Ordering::Relaxed));
                yield_now().await;
            }
            counts
        };
        let counts = background(counts, runtime.handle());
        let counts = runtime.block_on(within("the counts", counts)).unwrap();
        stop.store(true, Ordering::Relaxed);
        let most = limits::BACKGROUND_INTERVAL as usize - 1;
        assert!(counts.iter().all(|&count| count <= most), "{counts:?}");
        assert!(
            counts[1..].iter().all(|&count| count > most / 2),
            "others came first: {counts:?}"
        );
        runtime.block_on(async {
            for task in busy {
                task.await.unwrap();
            }
        });
    }
}

#[test]
fn two_players_of_the_lifo_word_do_not_starve_a_background_task() {
    let runtime = single();
    let stop = Arc::new(AtomicBool::new(false));
    let ((to_left, mut left), (to_right, mut right)) = (mpsc::channel(1), mpsc::channel(1));
    to_right.try_send(()).unwrap();
    let halt = Arc::clone(&stop);
    runtime.spawn(async move {
        while right.recv().await.is_some() && !halt.load(Ordering::Relaxed) {
            let _ = to_left.send(()).await;
        }
    });
    runtime.spawn(async move {
        while left.recv().await.is_some() {
            let _ = to_right.send(()).await;
        }
    });
    let task = background(async { (0..5).for_each(drop) }, runtime.handle());
    runtime
        .block_on(within("the background task", task))
        .unwrap();
    stop.store(true, Ordering::Relaxed);
}

#[test]
fn wakes_of_background_tasks_arrive_from_everywhere() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        runtime.block_on(async {
            for _ in 0..200 {
                let (open, gate) = oneshot::channel();
                let task = background(async move { gate.await.unwrap() }, &handle);
                let thread = std::thread::spawn(move || open.send(7).unwrap());
                assert_eq!(within("the wake of a thread", task).await.unwrap(), 7);
                thread.join().unwrap();
                let (open, gate) = oneshot::channel();
                let task = background(async move { gate.await.unwrap() }, &handle);
                spawn(async move { open.send(8).unwrap() });
                assert_eq!(within("the wake of a task", task).await.unwrap(), 8);
            }
            let timer = tokio::time::timeout(Duration::from_millis(1), pending::<()>());
            let task = background(timer, &handle);
            assert!(within("the timer", task).await.unwrap().is_err());
        });
    }
}

#[test]
fn each_of_many_lone_spawns_from_outside_finds_a_worker() {
    for workers in [1, 2] {
        let runtime = multi(workers);
        for i in 0..2_000 {
            let task = background(async move { i }, runtime.handle());
            let waited = async { within("the task", task).await.unwrap() };
            assert_eq!(runtime.handle().block_on(waited), i);
        }
    }
}

#[test]
fn many_background_tasks_that_yield_all_end() {
    for runtime in both() {
        let tasks: Vec<_> = (0..200)
            .map(|i| {
                let task = async move {
                    for _ in 0..20 {
                        yield_now().await;
                    }
                    i
                };
                background(task, runtime.handle())
            })
            .collect();
        runtime.block_on(async {
            for (i, task) in tasks.into_iter().enumerate() {
                assert_eq!(within("a task", task).await.unwrap(), i);
            }
        });
        assert_eq!(runtime.metrics().background_queue_depth, 0);
    }
}

#[test]
fn a_background_task_woken_by_a_long_poll_runs_meanwhile() {
    let runtime = multi(2);
    let task = runtime.spawn(async {
        let done = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&done);
        let set = async move { flag.store(true, Ordering::Release) };
        let builder = TaskBuilder::new().priority(Priority::Background);
        drop(builder.spawn(set));
        let began = Instant::now();
        while !done.load(Ordering::Acquire) && began.elapsed() < LONG {
            std::thread::yield_now();
        }
        done.load(Ordering::Acquire)
    });
    assert!(runtime.block_on(task).unwrap());
}

#[test]
fn background_tasks_are_aborted_and_panic_like_others() {
    single().block_on(async {
        let handle = Handle::current();
        let endless = background(pending::<()>(), &handle);
        yield_now().await;
        endless.abort();
        assert!(
            within("the abort", endless)
                .await
                .unwrap_err()
                .is_cancelled()
        );
        let failing = background(async { panic!("on purpose") }, &handle);
        let error: Result<(), _> = within("the panic", failing).await;
        assert!(error.unwrap_err().is_panic());
    });
}

#[test]
fn at_the_end_background_tasks_that_wait_are_dropped() {
    for runtime in both() {
        let drops = Drops::default();
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let guard = drops.guard();
                let task = async move {
                    let _guard = guard;
                    loop {
                        yield_now().await;
                    }
                };
                background(task, runtime.handle())
            })
            .collect();
        let handle = runtime.handle().clone();
        drop(runtime);
        assert_eq!(drops.count(), 20);
        for task in tasks {
            let ended: Result<(), _> = futures::executor::block_on(task);
            assert!(ended.unwrap_err().is_cancelled());
        }
        let late = background(async {}, &handle);
        assert!(late.is_finished());
    }
}
