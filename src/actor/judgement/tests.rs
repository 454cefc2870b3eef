mod races;
mod waits;

use std::sync::{Arc, Mutex};

use tokio::sync::{Notify, mpsc};

use crate::actor;
use crate::actor::cause::Signal;
use crate::actor::life::{Exit, Factory, Manner, Overseer, Verdict};
use crate::actor::{AskError, Builder, Context, ExitReason, Handle};
use crate::ending::Order;
use crate::error::BoxError;

type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, word: impl Into<String>) {
    log.lock().unwrap().push(word.into());
}

fn words(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[derive(Default)]
struct Gate {
    reached: Notify,
    opened: Notify,
}

#[actor(mailbox = 4)]
struct Clerk {
    log: Log,
    count: u32,
}

impl Drop for Clerk {
    fn drop(&mut self) {
        note(&self.log, "dropped");
    }
}

#[actor]
impl Clerk {
    #[on(start)]
    async fn open(&mut self) {
        note(&self.log, "start");
    }

    #[on(stop)]
    fn close(&mut self, reason: ExitReason) {
        note(&self.log, format!("stop hook: {reason}"));
    }

    fn add(&mut self, n: u32) -> u32 {
        self.count += n;
        self.count
    }

    fn crash(&mut self) -> u32 {
        self.count += 100;
        panic!("no paper")
    }

    async fn hold(&mut self, gate: Arc<Gate>) {
        gate.reached.notify_one();
        gate.opened.notified().await;
    }

    fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

/// An overseer that says what it was made with, and passes on what it was asked.
struct Chief {
    verdict: Mutex<Verdict>,
    asked: mpsc::UnboundedSender<(Manner, String)>,
    started: mpsc::UnboundedSender<u64>,
}

impl Overseer for Chief {
    fn judge(&self, exit: &Exit<'_>) -> Verdict {
        let reason = exit.reason.to_string();
        assert_eq!(exit.identity.name(), "Clerk");
        let _ = self.asked.send((exit.manner, reason));
        *self.verdict.lock().unwrap()
    }

    fn started(&self, _: &crate::actor::Identity, incarnation: u64) {
        let _ = self.started.send(incarnation);
    }
}

struct Rig {
    clerk: ClerkHandle,
    log: Log,
    chief: Arc<Chief>,
    asked: mpsc::UnboundedReceiver<(Manner, String)>,
    started: mpsc::UnboundedReceiver<u64>,
}

impl Rig {
    fn new(verdict: Verdict) -> Self {
        Self::with(verdict, |_, _| Ok(()))
    }

    /// `fails` says what becomes of the build with this number.
    fn with(verdict: Verdict, fails: fn(&Log, u64) -> Result<(), BoxError>) -> Self {
        let (asked, is_asked) = mpsc::unbounded_channel();
        let (started, is_started) = mpsc::unbounded_channel();
        let log = Log::default();
        let chief = Arc::new(Chief {
            verdict: Mutex::new(verdict),
            asked,
            started,
        });
        let (made, builds) = (log.clone(), Arc::new(Mutex::new(0)));
        let factory = Factory::new(move || {
            let log = made.clone();
            *builds.lock().unwrap() += 1;
            let build = *builds.lock().unwrap();
            async move {
                note(&log, "built");
                fails(&log, build)?;
                Ok(Clerk { log, count: 0 })
            }
        });
        let clerk = Builder::from_factory(factory).overseer(chief.clone());
        Self {
            clerk: clerk.launch().expect("there is a runtime"),
            log,
            chief,
            asked: is_asked,
            started: is_started,
        }
    }

    async fn asked(&mut self) -> (Manner, String) {
        self.asked.recv().await.expect("the chief lives")
    }

    async fn starts(&mut self) -> u64 {
        self.started.recv().await.expect("the chief lives")
    }
}

const CRASH: &str = "it panicked while handling";

#[tokio::test]
async fn a_crashed_actor_keeps_its_queue_and_handle_while_it_waits_and_after() {
    let mut rig = Rig::new(Verdict::Wait);
    assert_eq!(rig.starts().await, 1);
    let gate = Arc::<Gate>::default();
    rig.clerk.hold(gate.clone()).tell().await.unwrap();
    let crash = rig.clerk.crash().enqueue().await.unwrap();
    let first = rig.clerk.add(1).enqueue().await.unwrap();
    gate.opened.notify_one();
    let error = crash.await.unwrap_err();
    assert!(matches!(error, AskError::Interrupted(_)), "{error}");
    let (manner, reason) = rig.asked().await;
    assert_eq!(manner, Manner::Failed);
    assert!(reason.starts_with(CRASH), "{reason}");
    // It accepts as many as its mailbox holds.
    let rest: Vec<_> = (0..3).map(|_| rig.clerk.add(1).try_tell()).collect();
    assert!(rest.iter().all(Result::is_ok));
    assert!(rig.clerk.add(1).try_tell().is_err());
    assert!(!rig.clerk.is_stopped());
    rig.clerk.signal(Signal::Restart);
    assert_eq!(first.await.unwrap(), 1);
    assert_eq!(rig.starts().await, 2);
    assert_eq!(rig.clerk.add(1).await.unwrap(), 5);
    assert_eq!(Handle::incarnation(&rig.clerk), 2);
    assert_eq!(rig.clerk.free_slots(), 4);
    assert_eq!(
        words(&rig.log),
        ["built", "start", "dropped", "built", "start"]
    );
}

#[tokio::test]
async fn a_crash_on_the_askers_stack_is_judged_too() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    assert_eq!(rig.clerk.add(1).await.unwrap(), 1);
    let error = rig.clerk.crash().await.unwrap_err();
    assert!(error.to_string().contains("no paper"), "{error}");
    assert_eq!(rig.clerk.add(1).await.unwrap(), 1);
    assert_eq!(rig.asked().await.0, Manner::Failed);
}

#[tokio::test]
async fn who_is_not_to_live_on_ends_of_what_it_failed_of() {
    let mut rig = Rig::new(Verdict::End);
    let captured = Arc::downgrade(&rig.chief);
    rig.starts().await;
    assert!(rig.clerk.crash().await.is_err());
    assert!(matches!(rig.clerk.join().await, ExitReason::Panicked(_)));
    assert!(rig.asked.try_recv().is_ok());
    assert!(rig.asked.try_recv().is_err());
    drop(rig.chief);
    // The actor has let go of its overseer, though its handle is there.
    assert!(captured.upgrade().is_none());
}

#[tokio::test]
async fn each_failure_to_build_is_told_once() {
    let mut rig = Rig::with(Verdict::Restart, |_, build| match build {
        1 => Err("no desk".into()),
        2 => panic!("no room"),
        _ => Ok(()),
    });
    let waits = rig.clerk.clone();
    assert!(Handle::wait_started(&waits).await.is_ok());
    let (manner, reason) = rig.asked().await;
    assert_eq!(manner, Manner::Failed);
    assert_eq!(reason, "its start hook failed: no desk");
    let (manner, reason) = rig.asked().await;
    assert_eq!(manner, Manner::Failed);
    assert_eq!(reason, "it panicked in its start hook: no room");
    assert_eq!(rig.starts().await, 3);
    assert!(rig.asked.try_recv().is_err());
}

#[tokio::test]
async fn who_is_halted_ends_its_handler_and_runs_its_stop_hook_and_keeps_the_rest() {
    let mut rig = Rig::new(Verdict::Wait);
    rig.starts().await;
    let gate = Arc::<Gate>::default();
    let held = rig.clerk.hold(gate.clone()).enqueue().await.unwrap();
    let next = rig.clerk.add(1).enqueue().await.unwrap();
    gate.reached.notified().await;
    rig.clerk.signal(Signal::Halt);
    gate.opened.notify_one();
    held.await.unwrap();
    assert_eq!(rig.asked().await.0, Manner::Halted);
    rig.clerk.signal(Signal::Restart);
    assert_eq!(next.await.unwrap(), 1);
    let log = words(&rig.log);
    assert_eq!(log[2..4], ["stop hook: it was restarted", "dropped"]);
}

#[tokio::test]
async fn who_is_halted_at_once_drops_its_handler_and_runs_no_hook() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    let gate = Arc::<Gate>::default();
    let held = rig.clerk.hold(gate.clone()).enqueue().await.unwrap();
    let next = rig.clerk.add(1).enqueue().await.unwrap();
    gate.reached.notified().await;
    rig.clerk.signal(Signal::HaltNow);
    let error = held.await.unwrap_err();
    assert!(error.to_string().contains("restarted"), "{error}");
    assert_eq!(next.await.unwrap(), 1);
    assert_eq!(rig.asked().await.0, Manner::Halted);
    assert_eq!(
        words(&rig.log),
        ["built", "start", "dropped", "built", "start"]
    );
}

#[tokio::test]
async fn who_stopped_by_itself_may_go_on_and_is_open_again() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    rig.clerk.finish().await.unwrap();
    assert_eq!(rig.starts().await, 2);
    assert_eq!(rig.asked().await.0, Manner::Finished);
    assert_eq!(rig.clerk.add(2).await.unwrap(), 2);
    // Told by a handle, it ends for good.
    assert!(matches!(rig.clerk.shutdown().await, ExitReason::Stopped));
    assert!(rig.asked.try_recv().is_err());
}

#[tokio::test]
async fn a_kill_is_a_failure_and_a_dismissal_is_the_end() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    rig.clerk.kill();
    assert_eq!(rig.starts().await, 2);
    let (manner, reason) = rig.asked().await;
    assert_eq!((manner, &*reason), (Manner::Failed, "it was killed"));
    Handle::dismiss(&rig.clerk);
    assert!(matches!(rig.clerk.join().await, ExitReason::Killed));
    assert!(rig.asked.try_recv().is_err());
}

#[tokio::test]
async fn who_was_told_to_stop_is_not_restarted_for_a_crash() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    let gate = Arc::<Gate>::default();
    rig.clerk.hold(gate.clone()).tell().await.unwrap();
    rig.clerk.crash().tell().await.unwrap();
    rig.clerk.stop();
    gate.opened.notify_one();
    assert!(matches!(rig.clerk.join().await, ExitReason::Panicked(_)));
    assert!(rig.asked.try_recv().is_err());
}

#[tokio::test]
async fn names_and_monitors_are_the_actors_and_stay() {
    let mut rig = Rig::new(Verdict::Restart);
    rig.starts().await;
    for (order, word) in [(Order::Link, "link"), (Order::Name, "name")] {
        let log = rig.log.clone();
        let said = rig.clerk.head().on_end(order, move |_, _| note(&log, word));
        assert!(said.is_ok());
    }
    assert!(rig.clerk.crash().await.is_err());
    rig.starts().await;
    rig.clerk.shutdown().await;
    let log = words(&rig.log);
    assert_eq!(log[2..5], ["dropped", "built", "start"]);
    assert_eq!(log[6..], ["dropped", "name", "link"]);
}

#[tokio::test]
async fn an_overseer_that_panics_ends_its_actor() {
    struct Mad;
    impl Overseer for Mad {
        fn judge(&self, _: &Exit<'_>) -> Verdict {
            panic!("I quit")
        }
    }
    let log = Log::default();
    let made = log.clone();
    let factory = Factory::new(move || {
        let log = made.clone();
        async move { Ok(Clerk { log, count: 0 }) }
    });
    let clerk = Builder::from_factory(factory).overseer(Arc::new(Mad));
    let clerk = clerk.launch().unwrap();
    assert!(clerk.crash().await.is_err());
    assert!(matches!(clerk.join().await, ExitReason::Panicked(_)));
}
