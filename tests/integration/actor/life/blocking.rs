//! Actors with a thread of their own, whose handlers may block.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, ThreadId};

use greenroom::limits::OWN_THREADS_MAX;
use greenroom::{Builder, ExitReason, Handle, Runtime, SpawnErrorKind, actor, runtime};

use crate::actor::support::{on_each_runtime, until, within};

#[actor(mailbox = 8)]
struct Blocker {
    seen: Vec<u32>,
    other: Option<BlockerHandle>,
    _drops: Parting,
}

/// Says on which thread it is dropped.
#[derive(Default)]
struct Parting(Option<Sender<ThreadId>>);

impl Drop for Parting {
    fn drop(&mut self) {
        if let Some(drops) = &self.0 {
            let _ = drops.send(thread::current().id());
        }
    }
}

#[actor]
impl Blocker {
    /// Blocks until the test lets it go on.
    fn block(&mut self, begun: Sender<()>, end: Receiver<()>) -> ThreadId {
        begun.send(()).expect("the test listens");
        let _ = end.recv();
        thread::current().id()
    }

    fn see(&mut self, n: u32) {
        self.seen.push(n);
    }

    fn seen(&mut self) -> Vec<u32> {
        self.seen.clone()
    }

    fn thread(&mut self) -> (ThreadId, Option<String>) {
        let thread = thread::current();
        (thread.id(), thread.name().map(str::to_owned))
    }

    async fn thread_after_await(&mut self) -> ThreadId {
        tokio::task::yield_now().await;
        thread::current().id()
    }

    /// Asks the other, blocking meanwhile.
    fn relay(&mut self) -> Vec<u32> {
        let other = self.other.as_ref().expect("there is one");
        other.seen().blocking().expect("it answers")
    }

    fn fall(&mut self) {
        panic!("fell");
    }
}

fn blocker() -> Blocker {
    Blocker {
        seen: vec![],
        other: None,
        _drops: Parting::default(),
    }
}

#[test]
fn all_of_a_blocking_actor_runs_and_is_dropped_on_its_thread() {
    on_each_runtime(|| async {
        let (sender, drops) = mpsc::channel();
        let actor = Blocker {
            _drops: Parting(Some(sender)),
            ..blocker()
        };
        let blocker = Builder::new(actor).name("files").blocking().spawn();
        let (thread, name) = within(blocker.thread()).await.unwrap();
        assert_eq!(name.as_deref(), Some("files"));
        assert_ne!(thread, thread::current().id());
        assert_eq!(within(blocker.thread_after_await()).await.unwrap(), thread);
        let weak = blocker.downgrade();
        drop(blocker);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(drops.try_recv(), Ok(thread));
    });
}

#[test]
fn a_handler_that_blocks_keeps_no_other_actor_waiting() {
    on_each_runtime(|| async {
        let blocked = Builder::new(blocker()).blocking().spawn();
        let (begun, begins) = mpsc::channel();
        let (end, ends) = mpsc::channel();
        let mut blocking = blocked.block(begun, ends).enqueue().await.unwrap();
        until(|| begins.try_recv().is_ok()).await;
        let other = blocker().spawn();
        for n in 0..100 {
            within(other.see(n)).await.unwrap();
            let _ = blocked.see(n).try_tell();
        }
        assert_eq!(blocked.free_slots(), 0, "it is bounded as any other");
        end.send(()).unwrap();
        within(&mut blocking).await.unwrap();
        assert_eq!(
            within(blocked.seen()).await.unwrap(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
    });
}

#[test]
fn a_kill_and_a_panic_end_a_blocking_actor_when_its_handler_returns() {
    on_each_runtime(|| async {
        let blocked = Builder::new(blocker()).blocking().spawn();
        let (begun, begins) = mpsc::channel();
        let (end, ends) = mpsc::channel();
        let mut blocking = blocked.block(begun, ends).enqueue().await.unwrap();
        until(|| begins.try_recv().is_ok()).await;
        blocked.see(1).tell().await.unwrap();
        blocked.kill();
        assert!(!blocked.is_stopped());
        end.send(()).unwrap();
        within(&mut blocking).await.unwrap();
        assert!(matches!(within(blocked.join()).await, ExitReason::Killed));
        let fallen = Builder::new(blocker()).blocking().spawn();
        within(fallen.fall()).await.unwrap_err();
        let reason = within(fallen.join()).await;
        assert!(matches!(reason, ExitReason::Panicked(_)));
    });
}

#[test]
fn a_blocking_actor_asks_others_by_blocking() {
    on_each_runtime(|| async {
        let other = blocker().spawn();
        within(other.see(7)).await.unwrap();
        let actor = Blocker {
            other: Some(other),
            ..blocker()
        };
        let relay = Builder::new(actor).blocking().spawn();
        assert_eq!(within(relay.relay()).await.unwrap(), [7]);
    });
}

#[test]
fn a_blocking_actor_is_restarted_on_its_thread() {
    on_each_runtime(|| async {
        let blocker = Builder::restartable(blocker).blocking().spawn();
        let (thread, _) = within(blocker.thread()).await.unwrap();
        within(blocker.see(1)).await.unwrap();
        Handle::restart(&blocker).unwrap();
        assert_eq!(within(blocker.seen()).await.unwrap(), []);
        assert_eq!(within(blocker.thread()).await.unwrap().0, thread);
    });
}

#[test]
fn there_are_only_so_many_threads_and_one_that_ends_makes_room() {
    let runtime = Runtime::builder().current_thread().build().unwrap();
    runtime.block_on(async {
        let mut all: Vec<_> = (0..OWN_THREADS_MAX)
            .map(|_| Builder::new(blocker()).blocking().spawn())
            .collect();
        let error = Builder::new(blocker()).blocking().try_spawn().unwrap_err();
        let expected = SpawnErrorKind::TooManyThreads(OWN_THREADS_MAX);
        assert_eq!(error.kind(), expected);
        assert_eq!(
            error.to_string(),
            "512 actors have a thread of their own, and there are no more"
        );
        within(all.pop().unwrap().shutdown()).await;
        // The thread is about to end.
        let spawn = || Builder::new(blocker()).blocking().try_spawn();
        until(|| spawn().is_ok()).await;
        let report = runtime::Handle::current()
            .stop_actors(crate::actor::support::LIMIT)
            .await;
        assert!(report.is_clean());
        assert!(report.stopped >= OWN_THREADS_MAX - 1);
    });
}

#[test]
fn the_end_of_a_runtime_waits_for_a_handler_that_blocks() {
    let runtime = Runtime::builder().worker_threads(2).build().unwrap();
    let (begun, begins) = mpsc::channel();
    let (end, ends) = mpsc::channel();
    let (drops, dropped) = mpsc::channel();
    let blocked = runtime.block_on(async {
        let actor = Blocker {
            _drops: Parting(Some(drops)),
            ..blocker()
        };
        let blocked = Builder::new(actor).blocking().spawn();
        blocked.block(begun, ends).tell().await.unwrap();
        blocked
    });
    begins.recv().unwrap();
    let ending = thread::spawn(move || drop(runtime));
    while blocked.try_tell(BlockerSee { n: 1 }).is_ok() {
        thread::yield_now();
    }
    assert!(dropped.try_recv().is_err(), "its handler has not returned");
    drop(end);
    ending.join().unwrap();
    assert!(dropped.recv().is_ok());
    assert!(matches!(
        blocked.exit_reason(),
        Some(ExitReason::RuntimeGone)
    ));
}
