//! No task is stranded behind another, and none starves.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use greenroom::{Runtime, yield_now};
use tokio::sync::{Notify, mpsc, oneshot};

use super::support::{LONG, multi, single, spin_until, within};

/// One task wakes another, and computes until that has run.
async fn wake_and_spin(limit: Duration) -> bool {
    let (wake, woken) = oneshot::channel::<()>();
    let has_run = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&has_run);
    let (ready, is_ready) = oneshot::channel();
    greenroom::spawn(async move {
        ready.send(()).unwrap();
        woken.await.unwrap();
        flag.store(true, Ordering::Release);
    });
    is_ready.await.unwrap();
    wake.send(()).unwrap();
    spin_until(&has_run, limit)
}

#[test]
fn acc_13_a_task_woken_before_a_long_computation_runs_meanwhile() {
    let runtime = multi(2);
    let task = runtime.spawn(wake_and_spin(LONG));
    assert!(
        runtime.block_on(task).unwrap(),
        "the woken task waited for the waker's poll to end"
    );
    let handed_over: u64 = runtime
        .metrics()
        .workers
        .iter()
        .map(|w| w.handed_over)
        .sum();
    assert!(handed_over > 0);
}

#[test]
fn acc_13_a_task_woken_before_a_blocking_section_runs_meanwhile() {
    for workers in [1, 2] {
        let runtime = multi(workers);
        let task = runtime.spawn(async {
            let (wake, woken) = oneshot::channel();
            let (ran, has_run) = std::sync::mpsc::channel();
            let (ready, is_ready) = oneshot::channel();
            greenroom::spawn(async move {
                ready.send(()).unwrap();
                woken.await.unwrap();
                ran.send(()).unwrap();
            });
            is_ready.await.unwrap();
            tokio::task::block_in_place(|| {
                wake.send(()).unwrap();
                has_run.recv_timeout(LONG).is_ok()
            })
        });
        assert!(runtime.block_on(task).unwrap());
    }
}

#[test]
fn without_the_monitor_a_computation_keeps_what_it_woke() {
    let runtime = Runtime::builder()
        .worker_threads(2)
        .monitor(false)
        .build()
        .unwrap();
    let task = runtime.spawn(wake_and_spin(Duration::from_millis(60)));
    assert!(!runtime.block_on(task).unwrap());
}

#[test]
fn all_pumps_blocked_still_leaves_one_for_new_work() {
    let runtime = multi(2);
    let (to_blockers, blockers) = std::sync::mpsc::channel::<()>();
    let blockers = Arc::new(std::sync::Mutex::new(blockers));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let gate = Arc::clone(&blockers);
            runtime.spawn(async move {
                tokio::task::block_in_place(|| gate.lock().unwrap().recv_timeout(LONG).is_ok())
            })
        })
        .collect();
    // Ends the blocking sections, one after the other; runs only on a spare pump.
    let rescue = runtime.spawn(async move {
        (0..2).for_each(|_| to_blockers.send(()).unwrap());
    });
    for task in tasks {
        assert!(runtime.block_on(within("the end", task)).unwrap());
    }
    runtime.block_on(within("the rescue", rescue)).unwrap();
}

/// Two tasks that send one message to and fro until they are told to stop.
fn start_game(runtime: &Runtime) -> (Arc<AtomicBool>, [greenroom::JoinHandle<()>; 2]) {
    let stop = Arc::new(AtomicBool::new(false));
    let (to_left, left) = mpsc::channel::<()>(1);
    let (to_right, right) = mpsc::channel::<()>(1);
    to_left.try_send(()).unwrap();
    type Stop = Arc<AtomicBool>;
    let player = |mut inbox: mpsc::Receiver<()>, peer: mpsc::Sender<()>, stop: Stop| async move {
        while !stop.load(Ordering::Relaxed) && inbox.recv().await.is_some() {
            let _ = peer.send(()).await;
        }
    };
    let players = [
        runtime.spawn(player(left, to_right, Arc::clone(&stop))),
        runtime.spawn(player(right, to_left, Arc::clone(&stop))),
    ];
    (stop, players)
}

#[test]
fn acc_14_two_chatting_tasks_leave_room_for_others_timers_and_outside_spawns() {
    for runtime in [single(), multi(1)] {
        let (stop, players) = start_game(&runtime);
        let handle = runtime.handle().clone();
        let from_outside = std::thread::spawn(move || handle.spawn(async { 1 }));
        runtime.block_on(async {
            let neighbour = greenroom::spawn(async { 2 });
            assert_eq!(within("the neighbour", neighbour).await.unwrap(), 2);
            let timer = greenroom::spawn(async {
                let mut pace = tokio::time::interval(Duration::from_millis(10));
                for _ in 0..5 {
                    pace.tick().await;
                }
            });
            within("the timer", timer).await.unwrap();
            let outside = from_outside.join().unwrap();
            assert_eq!(within("the spawn from outside", outside).await.unwrap(), 1);
            stop.store(true, Ordering::Relaxed);
            for player in players {
                within("the end of the game", player).await.unwrap();
            }
        });
    }
}

#[test]
fn two_chatting_tasks_wake_no_other_worker() {
    let runtime = multi(2);
    let rounds = 20_000;
    let (to_left, mut left) = mpsc::unbounded_channel();
    let (to_right, mut right) = mpsc::unbounded_channel();
    let players = runtime.spawn(async move {
        let peer = greenroom::spawn(async move {
            while let Some(round) = right.recv().await {
                let _ = to_left.send(round);
            }
        });
        for round in 0..rounds {
            to_right.send(round).unwrap();
            assert_eq!(left.recv().await, Some(round));
        }
        drop(to_right);
        peer.await.unwrap();
    });
    runtime.block_on(within("the end", players)).unwrap();
    let parks: u64 = runtime
        .metrics()
        .workers
        .iter()
        .map(|worker| worker.parks)
        .sum();
    assert!(parks < rounds / 20, "{parks} sleeps in {rounds} rounds");
}

#[test]
fn outside_work_passes_tasks_that_keep_all_workers_busy() {
    let runtime = multi(2);
    let stop = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..4)
        .map(|_| {
            let stop = Arc::clone(&stop);
            runtime.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    while began.elapsed() < Duration::from_millis(2) {
                        spin_loop();
                    }
                    yield_now().await;
                }
            })
        })
        .collect();
    let outside: Vec<_> = (0..20).map(|i| runtime.spawn(async move { i })).collect();
    runtime.block_on(async {
        for (i, task) in outside.into_iter().enumerate() {
            assert_eq!(within("the outside task", task).await.unwrap(), i);
        }
        stop.store(true, Ordering::Relaxed);
        for task in busy {
            within("the end", task).await.unwrap();
        }
    });
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

#[test]
fn work_made_by_a_long_poll_of_any_task_runs_meanwhile() {
    let runtime = multi(2);
    for _ in 0..50 {
        let ours = runtime.spawn(spawn_and_spin(LONG));
        assert!(runtime.block_on(ours).unwrap(), "spawned by ours");
        let theirs = runtime.tokio_handle().spawn(spawn_and_spin(LONG));
        assert!(runtime.block_on(theirs).unwrap(), "spawned by tokio's");
    }
}

#[test]
fn seeded_runs_repeat() {
    let order = |seed| {
        let runtime = Runtime::builder()
            .current_thread()
            .seed(seed)
            .build()
            .unwrap();
        let (log, mut entries) = mpsc::unbounded_channel();
        runtime.block_on(async {
            let gate = Arc::new(Notify::new());
            let tasks: Vec<_> = (0..20)
                .map(|i| {
                    let (log, gate) = (log.clone(), Arc::clone(&gate));
                    greenroom::spawn(async move {
                        for step in 0..5 {
                            log.send((i, step)).unwrap();
                            gate.notify_waiters();
                            yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        });
        drop(log);
        let mut all = Vec::new();
        while let Ok(entry) = entries.try_recv() {
            all.push(entry);
        }
        assert_eq!(all.len(), 100);
        all
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn idle_workers_sleep() {
    let runtime = multi(2);
    let task = runtime.spawn(async {});
    runtime.block_on(task).unwrap();
    let began = Instant::now();
    while runtime.metrics().sleeping < 2 {
        assert!(began.elapsed() < LONG, "a worker without work stays awake");
        std::thread::yield_now();
    }
}
