use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Express;
use crate::exec::host::tokio::{Attach, Shared, attach};
use crate::exec::spawn;
use crate::exec::testing::Log;

/// Tells a hang from an answer.
const LONG: Duration = Duration::from_secs(30);

#[test]
fn there_are_few_places_and_none_where_nobody_watches() {
    let log = Log::default();
    let express = Express::new(1, true);
    let mut taken = 0;
    while express.push(log.unit(taken)).is_ok() {
        taken += 1;
    }
    assert_eq!(taken, crate::limits::RIDES_PER_WORKER);
    assert!(express.pop().is_some());
    assert!(express.push(log.unit(taken)).is_ok());
    assert!(Express::new(1, false).push(log.unit(0)).is_err());
}

#[test]
fn what_waits_is_overdue_if_none_has_gone_between_two_looks() {
    let log = Log::default();
    let express = Express::new(8, true);
    let mut seen = 0;
    assert!(express.push(log.unit(0)).is_ok());
    assert!(express.push(log.unit(1)).is_ok());
    express.pop().unwrap().run();
    assert!(express.take_overdue(&mut seen).is_empty());
    let overdue = express.take_overdue(&mut seen);
    overdue.into_iter().for_each(|unit| unit.run());
    assert_eq!(log.take(), [0, 1]);
    assert!(express.is_empty());
    // They have gone, so what came since is not overdue.
    assert!(express.push(log.unit(2)).is_ok());
    assert!(express.take_overdue(&mut seen).is_empty());
}

fn host() -> (Runtime, Arc<Shared>) {
    let host = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let shared = attach(host.handle(), Attach::Any).unwrap();
    (host, shared)
}

/// Computes for a moment, then goes to the back of tokio's queue.
async fn compute_and_queue() {
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(20) {
        std::hint::spin_loop();
    }
    let mut is_first = true;
    poll_fn(|cx| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

type Ends = (UnboundedSender<usize>, UnboundedReceiver<usize>);

/// A task of ours that sends back what it gets, the count of polls of others at that time.
fn start_echo(polls: &Arc<AtomicUsize>) -> Ends {
    let (to_echo, mut inbox) = unbounded_channel::<usize>();
    let (answer, answers) = unbounded_channel();
    let polls = Arc::clone(polls);
    spawn(async move {
        while let Some(before) = inbox.recv().await {
            answer.send(polls.load(Ordering::Relaxed) - before).unwrap();
        }
    });
    (to_echo, answers)
}

/// Asks the echo from a task of tokio's; gives the polls of others that came before each answer.
async fn ask(polls: Arc<AtomicUsize>, ends: Ends, rounds: usize) -> Vec<usize> {
    let (to_echo, mut answers) = ends;
    let mut waits = Vec::new();
    for _ in 0..rounds {
        // Not in tokio's LIFO slot, which has its limit of runs.
        compute_and_queue().await;
        let before = polls.load(Ordering::Relaxed);
        to_echo.send(before).unwrap();
        let before_it_ran = answers.recv().await.unwrap();
        waits.push(before_it_ran.max(polls.load(Ordering::Relaxed) - before));
    }
    waits
}

#[test]
fn who_asks_ours_from_a_busy_tokio_is_answered_before_the_others_have_their_turn() {
    let (host, shared) = host();
    let polls = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let inside = host.enter();
    for is_ours in [true, false] {
        for _ in 0..32 {
            let (polls, is_over) = (Arc::clone(&polls), Arc::clone(&is_over));
            let busy = async move {
                while !is_over.load(Ordering::Relaxed) {
                    polls.fetch_add(1, Ordering::Relaxed);
                    compute_and_queue().await;
                }
            };
            if is_ours {
                drop(spawn(busy));
            } else {
                drop(host.spawn(busy));
            }
        }
    }
    let ends = start_echo(&polls);
    let began = Instant::now();
    while !shared.express.is_crowded() {
        assert!(began.elapsed() < LONG, "no pump is kept away");
        std::thread::yield_now();
    }
    let mut waits = host
        .block_on(host.spawn(ask(Arc::clone(&polls), ends, 200)))
        .unwrap();
    is_over.store(true, Ordering::Relaxed);
    drop(inside);
    waits.sort_unstable();
    // Not in each round: who loses the processor for long looks alone to the pump.
    assert!(waits[100] <= 1, "{waits:?} polls came between");
}

#[test]
fn a_ride_behind_a_long_poll_is_taken_off_by_the_monitor() {
    let host = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let shared = attach(host.handle(), Attach::Any).unwrap();
    for _ in 0..10 {
        let inside = Arc::clone(&shared);
        let task = host.spawn(async move {
            let has_run = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&has_run);
            inside.express.set_crowded(true);
            spawn(async move { flag.store(true, Ordering::Release) });
            let began = Instant::now();
            while !has_run.load(Ordering::Acquire) && began.elapsed() < LONG {
                std::hint::spin_loop();
            }
            has_run.load(Ordering::Acquire)
        });
        assert!(host.block_on(task).unwrap());
    }
}

#[test]
fn a_runtime_that_ends_drops_what_waits_for_a_ride() {
    let (host, shared) = host();
    let (kept, dropped) = std::sync::mpsc::channel::<()>();
    let inside = Arc::clone(&shared);
    let (entered, is_entered) = std::sync::mpsc::channel();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    host.spawn(async move {
        inside.express.set_crowded(true);
        let kept = kept;
        spawn(async move {
            std::future::pending::<()>().await;
            drop(kept);
        });
        entered.send(()).unwrap();
        let _ = gate.recv_timeout(LONG);
    });
    is_entered.recv_timeout(LONG).unwrap();
    host.shutdown_background();
    drop(open);
    let gone = Err(std::sync::mpsc::RecvTimeoutError::Disconnected);
    assert_eq!(dropped.recv_timeout(LONG), gone);
    let began = Instant::now();
    while !shared.express.is_empty() || !shared.core().owned().is_empty() {
        assert!(began.elapsed() < LONG, "a unit is left");
        std::thread::yield_now();
    }
}
