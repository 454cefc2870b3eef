//! Whose turn it is, counted in picks of one worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use greenroom::runtime::Handle;
use greenroom::{limits, yield_now};
use tokio::sync::mpsc;

use super::support::{single, within};

/// Counts runs of all tasks that take part.
#[derive(Clone, Default)]
struct Picks(Arc<AtomicUsize>);

impl Picks {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Yields so many times; gives the most picks of others that came between.
async fn longest_wait(picks: Picks, times: usize) -> usize {
    let mut longest = 0;
    for _ in 0..times {
        let before = picks.get();
        yield_now().await;
        longest = longest.max(picks.get() - before);
    }
    longest
}

#[test]
fn a_flood_from_outside_leaves_local_tasks_their_turn() {
    let runtime = single();
    let picks = Picks::default();
    let local = runtime.spawn({
        let picks = picks.clone();
        async move { (longest_wait(picks.clone(), 200).await, picks.get()) }
    });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..50_000 {
                let picks = picks.clone();
                drop(runtime.spawn(async move { picks.count() }));
            }
        });
    });
    let local = within("the local task", local);
    let (longest, all) = runtime.block_on(local).unwrap();
    assert!(all < 50_000, "the flood was over before");
    // At most so many come to the worker at a time.
    assert!(longest <= 256, "it waited for {longest} picks");
}

#[test]
fn a_flood_of_local_work_leaves_outside_tasks_their_turn() {
    let runtime = single();
    let picks = Picks::default();
    let is_over = Arc::new(AtomicBool::new(false));
    for _ in 0..100 {
        let (picks, is_over) = (picks.clone(), Arc::clone(&is_over));
        runtime.spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                picks.count();
                yield_now().await;
            }
        });
    }
    let count = 20;
    let outside = runtime.spawn({
        let picks = picks.clone();
        async move {
            while picks.get() < 10_000 {
                yield_now().await;
            }
            let handle = Handle::current();
            // The worker stands still meanwhile, so no pick is missed.
            let spawn = move || {
                let before = picks.get();
                [(); 20].map(|()| {
                    let picks = picks.clone();
                    handle.spawn(async move { picks.get() - before })
                })
            };
            std::thread::spawn(spawn).join().unwrap()
        }
    });
    let longest = runtime.block_on(async {
        let mut longest = 0;
        for task in within("the spawns", outside).await.unwrap() {
            longest = longest.max(within("a task from outside", task).await.unwrap());
        }
        longest
    });
    is_over.store(true, Ordering::Relaxed);
    let interval = usize::try_from(limits::GLOBAL_INTERVAL).unwrap();
    assert!(longest <= count * interval, "it waited for {longest} picks");
}

#[test]
fn acc_14_two_chatting_tasks_leave_a_third_every_few_picks() {
    let runtime = single();
    let picks = Picks::default();
    let is_over = Arc::new(AtomicBool::new(false));
    let (to_left, left) = mpsc::unbounded_channel();
    let (to_right, right) = mpsc::unbounded_channel();
    to_left.send(()).unwrap();
    for (mut inbox, peer) in [(left, to_right), (right, to_left)] {
        let (picks, is_over) = (picks.clone(), Arc::clone(&is_over));
        runtime.spawn(async move {
            while inbox.recv().await.is_some() && !is_over.load(Ordering::Relaxed) {
                picks.count();
                let _ = peer.send(());
            }
        });
    }
    let third = runtime.spawn(longest_wait(picks.clone(), 1_000));
    let longest = runtime.block_on(within("the third task", third)).unwrap();
    is_over.store(true, Ordering::Relaxed);
    assert!(picks.get() > 1_000, "they did not chat");
    let most = limits::LIFO_RUNS + 2;
    assert!(longest <= most, "it waited for {longest} picks");
}
