//! Each counter counts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use greenroom::runtime::{Handle, Metrics, WorkerMetrics};
use greenroom::{Priority, TaskBuilder, spawn, yield_now};

use super::support::{LONG, multi, single, within};

fn total(metrics: &Metrics, of: impl Fn(&WorkerMetrics) -> u64) -> u64 {
    metrics.workers.iter().map(of).sum()
}

/// Reads again until it holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn polls_and_turns_are_counted() {
    let runtime = single();
    let task = runtime.spawn(async {
        for _ in 0..10 {
            yield_now().await;
        }
    });
    runtime.block_on(task).unwrap();
    let metrics = runtime.metrics();
    assert_eq!(total(&metrics, |worker| worker.polls), 11);
    let turns = total(&metrics, |worker| worker.turns);
    assert!((1..=12).contains(&turns), "{turns}");
}

#[test]
fn what_comes_from_outside_and_what_was_woken_last_are_counted() {
    let runtime = single();
    let task = runtime.spawn(async { spawn(async {}).await.unwrap() });
    let injected = |metrics: &Metrics| total(metrics, |worker| worker.injected);
    let lifo_hits = |metrics: &Metrics| total(metrics, |worker| worker.lifo_hits);
    assert_eq!(injected(&runtime.metrics()), 0);
    runtime.block_on(task).unwrap();
    assert_eq!(injected(&runtime.metrics()), 1);
    // The inner task, and the outer one that it woke.
    assert_eq!(lifo_hits(&runtime.metrics()), 2);
}

#[test]
fn queues_and_what_is_live_are_measured() {
    let runtime = single();
    let outside: Vec<_> = (0..3).map(|_| runtime.spawn(async {})).collect();
    let background = TaskBuilder::new().priority(Priority::Background);
    let last = background.spawn_on(async {}, runtime.handle());
    let metrics = runtime.metrics();
    assert_eq!(metrics.global_queue_depth, 3);
    assert_eq!(metrics.background_queue_depth, 1);
    assert_eq!(metrics.live, 4);
    let inside = runtime.spawn(async {
        let tasks: Vec<_> = (0..5).map(|_| spawn(async {})).collect();
        let metrics = Handle::current().metrics();
        drop(tasks);
        metrics.workers[0].queue_depth
    });
    assert_eq!(runtime.block_on(inside).unwrap(), 5);
    runtime.block_on(async {
        for task in outside {
            task.await.unwrap();
        }
        within("the background task", last).await.unwrap();
    });
    let metrics = runtime.metrics();
    assert_eq!(
        metrics.global_queue_depth + metrics.background_queue_depth,
        0
    );
    assert_eq!((metrics.live, metrics.workers[0].queue_depth), (0, 0));
}

#[test]
fn a_worker_without_work_is_counted_as_parked() {
    let runtime = multi(1);
    until("the worker sleeps", || runtime.metrics().sleeping == 1);
    let before = total(&runtime.metrics(), |worker| worker.parks);
    runtime.block_on(runtime.spawn(async {})).unwrap();
    until("the worker sleeps again", || {
        runtime.metrics().sleeping == 1
    });
    let after = total(&runtime.metrics(), |worker| worker.parks);
    assert!(after > before, "{after}");
}

/// A task that leaves others in its worker's queue, and computes until they have run.
async fn leave_behind(count: usize) {
    let left = Arc::new(());
    for _ in 0..count {
        let left = Arc::clone(&left);
        spawn(async move { drop(left) });
    }
    until("the others run", || Arc::strong_count(&left) == 1);
}

#[test]
fn steals_are_counted() {
    let runtime = multi(2);
    until("a steal", || {
        runtime.block_on(runtime.spawn(leave_behind(20))).unwrap();
        total(&runtime.metrics(), |worker| worker.steals) > 0
    });
}

#[test]
fn what_the_monitor_hands_over_is_counted() {
    let runtime = multi(2);
    // One alone waits where nobody steals.
    runtime.block_on(runtime.spawn(leave_behind(1))).unwrap();
    assert_eq!(total(&runtime.metrics(), |worker| worker.handed_over), 1);
}

#[test]
fn busy_time_covers_polls_and_nothing_but_turns() {
    let runtime = multi(1);
    let busy = || -> Duration {
        runtime
            .metrics()
            .workers
            .iter()
            .map(|worker| worker.busy)
            .sum()
    };
    let spin = Duration::from_millis(5);
    let task = runtime.spawn(async move {
        let began = Instant::now();
        until("the time passes", || began.elapsed() >= spin);
    });
    runtime.block_on(task).unwrap();
    until("the turn is counted", || busy() >= spin);
    until("the worker sleeps", || runtime.metrics().sleeping == 1);
    let idle = busy();
    let began = Instant::now();
    until("the time passes", || began.elapsed() >= spin);
    assert_eq!(busy(), idle, "who sleeps is not busy");
}
