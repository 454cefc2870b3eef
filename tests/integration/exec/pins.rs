//! What speed and fairness rest on in tokio: three of its behaviours, each as tokio has it and as
//! we use it. Nothing here is needed for correctness. If one of these tests fails after tokio was
//! upgraded, the other tests of this folder still tell whether anything is stranded or starved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use greenroom::{Runtime, yield_now};
use tokio::sync::{mpsc, oneshot};
use tokio::task::coop::{has_budget_remaining, poll_proceed};

use super::support::{
    LONG, both, multi, single, spin_until, spin_until_that, tokio_multi, tokio_single, within,
};

// ===== 1: a task that a worker wakes waits in a place where no other worker looks =====

/// If this fails, tokio lets others steal what a worker woke last, or wakes a worker for it. Then
/// the bump in `exec/host/tokio/signal.rs` is in vain: measure without it how fast spawns from
/// elsewhere and wakes by long polls are, and take it out if that is no slower.
#[cfg(target_has_atomic = "64")]
#[test]
fn pin_1_tokio_keeps_what_a_task_woke_last_from_other_workers() {
    let host = tokio_multi(2);
    let task = host.spawn(async {
        let mut ran_meanwhile = 0;
        for _ in 0..20 {
            // After a yield tokio lets this task use the place.
            tokio::task::yield_now().await;
            ran_meanwhile += usize::from(wake_one_and_spin().await);
        }
        ran_meanwhile
    });
    let ran_meanwhile = host.block_on(within("the waker", task)).unwrap();
    assert_eq!(ran_meanwhile, 0);
}

/// Wakes a task of tokio's while the other worker sleeps; says whether it ran while this poll
/// went on.
#[cfg(target_has_atomic = "64")]
async fn wake_one_and_spin() -> bool {
    let (wake, woken) = oneshot::channel::<()>();
    let (ready, is_ready) = oneshot::channel();
    let has_run = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&has_run);
    let woken = tokio::spawn(async move {
        ready.send(()).unwrap();
        woken.await.unwrap();
        flag.store(true, Ordering::Release);
    });
    is_ready.await.unwrap();
    let metrics = tokio::runtime::Handle::current().metrics();
    // The count is odd while the worker sleeps. This one does not, so then the task waits.
    let other_sleeps = || {
        let mut counts = (0..2).map(|worker| metrics.worker_park_unpark_count(worker));
        counts.any(|count| count % 2 == 1)
    };
    assert!(spin_until_that(other_sleeps, LONG));
    wake.send(()).unwrap();
    let ran_meanwhile = spin_until(&has_run, Duration::from_millis(5));
    woken.await.unwrap();
    ran_meanwhile
}

/// A task that makes two others runnable and then computes until one of them has run.
async fn spawn_and_spin(limit: Duration) -> bool {
    let has_run = Arc::new(AtomicBool::new(false));
    for _ in 0..2 {
        let flag = Arc::clone(&has_run);
        greenroom::spawn(async move { flag.store(true, Ordering::Release) });
    }
    spin_until(&has_run, limit)
}

/// If this fails, a new task no longer pushes the pump out of the place of pin 1, or tokio wakes
/// no worker for it: `Shared::bump` needs another way.
#[test]
fn pin_1_our_bump_moves_a_pump_to_another_worker_without_the_monitor() {
    let runtime = Runtime::builder()
        .worker_threads(2)
        .monitor(false)
        .build()
        .unwrap();
    let limit = Duration::from_millis(50);
    let rounds = 40;
    let in_time = (0..rounds)
        .map(|round| match round % 2 {
            0 => runtime
                .block_on(runtime.spawn(spawn_and_spin(limit)))
                .unwrap(),
            _ => {
                let task = runtime.tokio_handle().spawn(spawn_and_spin(limit));
                runtime.block_on(task).unwrap()
            }
        })
        .filter(|&in_time| in_time)
        .count();
    // tokio may put a worker to sleep at the very moment; then only the monitor helps. Without a
    // bump none is in time.
    assert!(in_time > rounds / 4, "{in_time} of {rounds}");
}

// ===== 2: a deferred yield comes back after the drivers =====

/// How often a task yields, by tokio's deferral, until input that is there has been read.
#[cfg(unix)]
async fn yields_until_read() -> usize {
    use tokio::io::AsyncReadExt;
    let (near, mut far) = tokio::net::UnixStream::pair().unwrap();
    let has_read = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&has_read);
    let reader = tokio::spawn(async move {
        far.read_u8().await.unwrap();
        flag.store(true, Ordering::Release);
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(near.try_write(&[1]).unwrap(), 1);
    let mut yields = 0;
    while !has_read.load(Ordering::Acquire) {
        tokio::task::yield_now().await;
        yields += 1;
    }
    reader.await.unwrap();
    yields
}

/// If this fails, a deferred yield no longer turns the drivers: `Yield::Deferred` in
/// `exec/host/tokio/pace.rs` is then an ordinary wake, and pumps must find another way to let
/// timers and input come between their turns; the tests in `share.rs` say how late they are.
#[cfg(unix)]
#[test]
fn pin_2_tokio_turns_its_drivers_before_a_deferred_yield_comes_back() {
    for host in [tokio_single(), tokio_multi(1)] {
        for _ in 0..20 {
            let task = host.spawn(yields_until_read());
            let yields = host.block_on(within("the reader", task)).unwrap();
            // The second if what yields is put before the reader, which was woken first; a few
            // more if the other end is slow. Without the drivers' turn it takes up to 61.
            assert!(yields <= 8, "{yields} yields");
        }
    }
}

#[test]
fn pin_2_tasks_of_ours_that_never_wait_let_the_host_turn_its_drivers() {
    for runtime in [single(), multi(1)] {
        let turns = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&turns);
        let busy = runtime.spawn(async move {
            loop {
                count.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
            }
        });
        runtime.block_on(async {
            let timer = tokio::time::timeout(Duration::from_millis(5), std::future::pending());
            let timer: Result<(), _> = within("the timer", timer).await;
            assert!(timer.is_err());
            within("the task", tokio::spawn(async {})).await.unwrap();
        });
        assert!(turns.load(Ordering::Relaxed) > 0);
        busy.abort();
    }
}

// ===== 3: a guard of `poll_proceed` puts the budget back as it was =====

/// If this fails, `with_fresh_budget` in `exec/host/tokio/pump.rs` gives all tasks of a turn one
/// budget among them, or none a limit: find another way to give each its own.
#[test]
fn pin_3_a_dropped_guard_restores_the_budget() {
    let host = tokio_single();
    let task = host.spawn(std::future::poll_fn(|_| {
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..10 {
            let Poll::Ready(outer) = poll_proceed(&mut cx) else {
                panic!("the budget was not put back");
            };
            let mut spent = 0;
            while let Poll::Ready(inner) = poll_proceed(&mut cx) {
                inner.made_progress();
                spent += 1;
            }
            assert_eq!(spent, 127);
            assert!(!has_budget_remaining());
            drop(outer);
            assert!(has_budget_remaining());
        }
        Poll::Ready(())
    }));
    host.block_on(task).unwrap();
}

/// Counts the polls that 1,000 ready receives take; all but the last are pending for the budget.
async fn polls_of_1000_receives() -> usize {
    let (to_task, mut inbox) = mpsc::unbounded_channel();
    (0..1000).for_each(|i| to_task.send(i).unwrap());
    let work = async move {
        for i in 0..1000 {
            assert_eq!(inbox.recv().await, Some(i));
        }
    };
    let mut work = Box::pin(work);
    let mut polls = 0;
    std::future::poll_fn(|cx| {
        polls += 1;
        work.as_mut().poll(cx)
    })
    .await;
    polls
}

/// If only the number has changed, for tokio's tasks as for ours, tokio has another budget: see
/// `limits::MESSAGES_PER_ACTIVATION`, which follows it.
#[test]
fn pin_3_ready_receives_take_as_many_polls_as_on_tokio() {
    for runtime in both() {
        runtime.block_on(async {
            let theirs = tokio::spawn(polls_of_1000_receives()).await.unwrap();
            assert_eq!(theirs, 8);
            let ours: Vec<_> = (0..20)
                .map(|_| greenroom::spawn(polls_of_1000_receives()))
                .collect();
            for task in ours {
                assert_eq!(task.await.unwrap(), theirs);
            }
        });
    }
}
