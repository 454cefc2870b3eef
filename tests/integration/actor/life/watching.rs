//! Monitors and links: who hears of an end, when, and how often.

use std::sync::Arc;

use greenroom::{Builder, Context, Down, ExitReason, Handle, Monitor, Runtime, actor};
use tokio::sync::{Notify, mpsc};

use crate::actor::support::within;
use crate::allocator::live_bytes;
use crate::alone::alone;

#[actor(mailbox = 4)]
struct Worker;

#[actor]
impl Worker {
    fn crash(&mut self) {
        panic!("no tools")
    }

    async fn report(&mut self, to: WatcherHandle, words: Vec<&'static str>) {
        for word in words {
            to.hear(word).tell().await.unwrap();
        }
        panic!("no tools")
    }
}

#[actor(mailbox = 2)]
struct Watcher {
    heard: mpsc::UnboundedSender<String>,
    monitors: Vec<Monitor>,
}

#[actor]
impl Watcher {
    fn watch(&mut self, worker: WorkerHandle, ctx: &mut Context<Self>) {
        self.monitors.push(ctx.monitor(&worker));
    }

    fn watch_weakly(&mut self, worker: greenroom::AnyHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&worker);
    }

    fn cancel(&mut self) {
        self.monitors.pop().unwrap().cancel();
    }

    /// Lets monitors be, as who is not interested in taking them back.
    fn forget(&mut self) {
        self.monitors.clear();
    }

    async fn cancel_late(&mut self, reached: Arc<Notify>, open: Arc<Notify>) {
        reached.notify_one();
        open.notified().await;
        self.monitors.pop().unwrap().cancel();
    }

    async fn hold(&mut self, reached: Arc<Notify>, open: Arc<Notify>) {
        reached.notify_one();
        open.notified().await;
    }

    fn hear(&mut self, word: &'static str) {
        let _ = self.heard.send(word.into());
    }

    fn link_with(&mut self, worker: WorkerHandle, ctx: &mut Context<Self>) {
        ctx.link(&worker);
    }

    fn unlink_from(&mut self, worker: WorkerHandle, ctx: &mut Context<Self>) {
        ctx.unlink(&worker);
    }

    #[message]
    fn on_down(&mut self, down: Down) {
        let _ = self
            .heard
            .send(format!("{}: {}", down.actor.name(), down.reason));
    }
}

fn watcher() -> (WatcherHandle, mpsc::UnboundedReceiver<String>) {
    let (heard, hears) = mpsc::unbounded_channel();
    let monitors = vec![];
    (Watcher { heard, monitors }.spawn(), hears)
}

async fn next(hears: &mut mpsc::UnboundedReceiver<String>) -> String {
    within(hears.recv()).await.expect("the watcher lives")
}

/// What has been heard once all that was sent before has been handled.
async fn settled(watcher: &WatcherHandle, hears: &mut mpsc::UnboundedReceiver<String>) -> String {
    within(watcher.hear("settled")).await.unwrap();
    next(hears).await
}

#[greenroom::test]
async fn a_monitor_tells_of_each_kind_of_end_once() {
    let (watcher, mut hears) = watcher();
    for (end, reason) in [
        ("stop", "it was stopped"),
        ("kill", "it was killed"),
        ("drop", "its last handle was dropped"),
        ("crash", "it panicked while handling"),
    ] {
        let worker = Worker.spawn();
        within(watcher.watch(worker.clone())).await.unwrap();
        match end {
            "stop" => worker.stop(),
            "kill" => worker.kill(),
            "crash" => worker.crash().tell().await.unwrap(),
            _ => drop(worker),
        }
        let down = next(&mut hears).await;
        assert!(down.starts_with(&format!("Worker: {reason}")), "{down}");
        assert_eq!(settled(&watcher, &mut hears).await, "settled");
    }
}

#[greenroom::test]
async fn who_has_ended_already_is_told_of_at_once() {
    let (watcher, mut hears) = watcher();
    let worker = Worker.spawn();
    worker.kill();
    within(worker.join()).await;
    within(watcher.watch(worker.clone())).await.unwrap();
    assert_eq!(next(&mut hears).await, "Worker: it was killed");
    within(watcher.watch_weakly(worker.erase())).await.unwrap();
    assert_eq!(next(&mut hears).await, "Worker: it was killed");
}

#[greenroom::test]
async fn the_notice_comes_after_all_that_was_accepted_and_needs_no_slot() {
    let (watcher, mut hears) = watcher();
    let worker = Worker.spawn();
    within(watcher.watch(worker.clone())).await.unwrap();
    let (reached, open) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    watcher
        .hold(reached.clone(), open.clone())
        .tell()
        .await
        .unwrap();
    reached.notified().await;
    // They fill the mailbox.
    let report = worker.report(watcher.clone(), vec!["one", "two"]);
    assert!(within(report).await.is_err());
    within(worker.join()).await;
    assert_eq!(watcher.free_slots(), 0);
    open.notify_one();
    assert_eq!(next(&mut hears).await, "one");
    assert_eq!(next(&mut hears).await, "two");
    assert!(next(&mut hears).await.starts_with("Worker: it panicked"));
}

#[greenroom::test]
async fn a_monitor_that_was_taken_back_tells_of_nothing_even_if_it_has_told() {
    let (watcher, mut hears) = watcher();
    let worker = Worker.spawn();
    within(watcher.watch(worker.clone())).await.unwrap();
    within(watcher.cancel()).await.unwrap();
    within(watcher.watch(worker.clone())).await.unwrap();
    let (reached, open) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    let late = watcher.cancel_late(reached.clone(), open.clone());
    late.tell().await.unwrap();
    reached.notified().await;
    worker.kill();
    within(worker.join()).await;
    // The notice is queued by now.
    open.notify_one();
    assert_eq!(settled(&watcher, &mut hears).await, "settled");
}

#[greenroom::test]
async fn a_restart_of_the_watched_is_no_end_and_the_watchers_own_ends_its_monitors() {
    let (heard, mut hears) = mpsc::unbounded_channel();
    let watcher = Builder::restartable(move || Watcher {
        heard: heard.clone(),
        monitors: vec![],
    })
    .spawn();
    let worker = Builder::restartable(|| Worker).spawn();
    within(watcher.watch(worker.clone())).await.unwrap();
    Handle::restart(&worker).unwrap();
    within(Handle::wait_started(&worker)).await.unwrap();
    Handle::restart(&watcher).unwrap();
    within(watcher.hear("restarted")).await.unwrap();
    worker.kill();
    within(worker.join()).await;
    assert_eq!(next(&mut hears).await, "restarted");
    assert_eq!(settled(&watcher, &mut hears).await, "settled");
}

#[greenroom::test]
async fn linked_actors_end_together_whichever_fails_and_know_of_whom() {
    for kills_first in [true, false] {
        let (one, other) = (Worker.spawn(), Worker.spawn());
        Handle::link(&one, &other);
        let (dies, follows) = match kills_first {
            true => (&one, &other),
            false => (&other, &one),
        };
        dies.kill();
        match within(follows.join()).await {
            ExitReason::Linked(end) => {
                assert_eq!(end.down().actor, dies.identity());
                assert!(matches!(end.down().reason, ExitReason::Killed));
            }
            reason => panic!("{reason}"),
        }
    }
}

#[greenroom::test]
async fn a_normal_end_ends_the_link_alone() {
    let (one, other) = (Worker.spawn(), Worker.spawn());
    Handle::link(&one, &other);
    within(one.shutdown()).await;
    assert!(!other.is_stopped());
    assert!(matches!(
        within(other.shutdown()).await,
        ExitReason::Stopped
    ));
}

#[greenroom::test]
async fn a_link_is_taken_back_from_either_side_and_set_by_a_handler_too() {
    let (watcher, _hears) = watcher();
    let worker = Worker.spawn();
    within(watcher.link_with(worker.clone())).await.unwrap();
    Handle::unlink(&worker, &watcher);
    Handle::link(&worker, &watcher);
    within(watcher.unlink_from(worker.clone())).await.unwrap();
    worker.kill();
    within(worker.join()).await;
    within(watcher.hear("alive")).await.unwrap();
    let worker = Worker.spawn();
    within(watcher.link_with(worker.clone())).await.unwrap();
    worker.kill();
    assert!(matches!(
        within(watcher.join()).await,
        ExitReason::Linked(_)
    ));
}

#[greenroom::test]
async fn to_link_with_who_has_failed_is_to_end_of_it() {
    let (one, other) = (Worker.spawn(), Worker.spawn());
    other.kill();
    within(other.join()).await;
    Handle::link(&one, &other);
    assert!(matches!(within(one.join()).await, ExitReason::Linked(_)));
}

#[greenroom::test]
async fn a_ring_of_ten_thousand_links_ends_whole() {
    let ring: Vec<_> = (0..10_000).map(|_| Worker.spawn()).collect();
    for (index, worker) in ring.iter().enumerate() {
        Handle::link(worker, &ring[(index + 1) % ring.len()]);
    }
    ring[0].kill();
    for worker in &ring {
        assert!(!within(worker.join()).await.is_normal());
    }
}

#[greenroom::test]
async fn links_in_opposite_directions_never_block_each_other() {
    let (one, other) = (Worker.spawn(), Worker.spawn());
    let tasks = [(one.clone(), other.clone()), (other.clone(), one.clone())].map(|(a, b)| {
        greenroom::spawn(async move {
            for _ in 0..10_000 {
                Handle::link(&a, &b);
                Handle::unlink(&a, &b);
            }
        })
    });
    for task in tasks {
        within(task).await.unwrap();
    }
    one.kill();
    within(one.join()).await;
    assert!(!other.is_stopped());
    within(other.shutdown()).await;
}

/// Sets a monitor, and ends it in one of four ways: by either end, in either order.
async fn watch_once(watcher: &WatcherHandle, round: u32) {
    let worker = Worker.spawn();
    let ended = round.is_multiple_of(4);
    if ended {
        worker.kill();
        within(worker.join()).await;
    }
    within(watcher.watch(worker.clone())).await.unwrap();
    match round % 4 {
        0 | 1 => {}
        2 => within(watcher.cancel()).await.unwrap(),
        _ => {
            let other = Watcher {
                heard: mpsc::unbounded_channel().0,
                monitors: vec![],
            };
            let other = other.spawn();
            within(other.watch(worker.clone())).await.unwrap();
            within(other.shutdown()).await;
        }
    }
    if !ended {
        worker.kill();
        within(worker.join()).await;
    }
    // Monitors that have told keep a handle's worth each.
    within(watcher.forget()).await.unwrap();
}

#[test]
fn neither_end_of_a_monitor_keeps_anything_of_it_whichever_goes_first() {
    let name = "actor::life::watching::\
                neither_end_of_a_monitor_keeps_anything_of_it_whichever_goes_first";
    alone(name, || {
        let runtime = Runtime::builder().current_thread().build().unwrap();
        runtime.block_on(async {
            let (watcher, mut hears) = watcher();
            let mut warm = 0;
            for round in 0..20_000 {
                watch_once(&watcher, round).await;
                while hears.try_recv().is_ok() {}
                if round == 2_000 {
                    warm = live_bytes();
                }
            }
            let grown = live_bytes() - warm;
            assert!(grown < 16 * 1024, "{grown} bytes more");
        });
    });
}
