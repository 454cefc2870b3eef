//! What an actor is told while it is judged, or is about to end an incarnation.

use std::future::{IntoFuture, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::*;
use crate::actor::{Crash, OnPanic, ResumeAfterPanic};

/// Waits until an actor has looked at all that it was told.
async fn rest<A>(actor: &Handle<A>) {
    let state = actor.head().state();
    while state.load().is_marked() || state.load().is_running() {
        assert!(!actor.is_stopped(), "it has ended");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_that_come_as_others_are_forgiven_leave_the_mailbox_open() {
    let mut rig = Rig::new(Verdict::Wait);
    rig.starts().await;
    assert!(rig.clerk.crash().await.is_err());
    rig.asked().await;
    rest(&rig.clerk).await;
    for _ in 0..200 {
        let kill = |clerk: ClerkHandle| move || (0..50).for_each(|_| clerk.kill());
        let killers = [0, 1].map(|_| tokio::task::spawn_blocking(kill(rig.clerk.clone())));
        for killer in killers {
            killer.await.unwrap();
        }
        rest(&rig.clerk).await;
        assert!(rig.clerk.try_reserve().is_ok(), "it is closed");
    }
    rig.clerk.signal(Signal::Restart);
    assert_eq!(rig.clerk.add(1).await.unwrap(), 1);
}

#[tokio::test]
async fn who_is_halted_before_it_begins_is_not_built() {
    for halt in [Signal::Halt, Signal::HaltNow] {
        let mut rig = Rig::new(Verdict::Wait);
        rig.starts().await;
        assert!(rig.clerk.crash().await.is_err());
        rig.asked().await;
        // It has one look at both: there is one thread.
        rig.clerk.signal(Signal::Restart);
        rig.clerk.signal(halt);
        assert_eq!(rig.asked().await.0, Manner::Halted);
        assert_eq!(words(&rig.log), ["built", "start", "dropped"]);
        rig.clerk.signal(Signal::Restart);
        assert_eq!(rig.starts().await, 2);
    }
}

#[actor]
struct Desk {
    gate: Arc<Gate>,
}

#[actor]
impl Desk {
    #[message(reentrant)]
    async fn hold(&self, gate: Arc<Gate>) {
        gate.reached.notify_one();
        gate.opened.notified().await;
    }

    #[message(reentrant, inline = always)]
    fn look(&self) {}

    async fn crash(&mut self, gate: Arc<Gate>) {
        gate.reached.notify_one();
        gate.opened.notified().await;
        panic!("no paper")
    }

    #[on(panic)]
    fn crashed(&mut self, _crash: &Crash) -> OnPanic<Self> {
        OnPanic::resume()
    }

    #[on(stop)]
    async fn close(&mut self, _reason: ExitReason) {
        self.gate.reached.notify_one();
        self.gate.opened.notified().await;
    }
}

impl ResumeAfterPanic for Desk {}

fn desk(gate: &Arc<Gate>) -> DeskHandle {
    let gate = gate.clone();
    Builder::restartable(move || Desk { gate: gate.clone() }).spawn()
}

#[tokio::test]
async fn no_ask_enters_a_paused_actor_beside_a_handler_that_is_suspended() {
    let (desk, gate) = (desk(&Arc::default()), Arc::<Gate>::default());
    let hold = desk.hold(gate.clone()).enqueue().await.unwrap();
    gate.reached.notified().await;
    desk.look().await.unwrap();
    Handle::pause(&desk);
    rest(&desk).await;
    let mut look = pin!(desk.look().into_future());
    for _ in 0..10 {
        let polled = poll_fn(|cx| Poll::Ready(look.as_mut().poll(cx))).await;
        assert!(polled.is_pending(), "it has looked");
        tokio::task::yield_now().await;
    }
    Handle::resume(&desk);
    look.await.unwrap();
    gate.opened.notify_one();
    hold.await.unwrap();
}

#[tokio::test]
async fn who_is_to_restart_does_though_its_handler_panics_and_it_resumes() {
    let (end, gate) = (Arc::<Gate>::default(), Arc::<Gate>::default());
    let desk = desk(&end);
    end.opened.notify_one();
    let crash = desk.crash(gate.clone()).enqueue().await.unwrap();
    gate.reached.notified().await;
    Handle::restart(&desk).unwrap();
    // It has taken note of it.
    while desk.head().cause.told().is(Signal::Halt) {
        tokio::task::yield_now().await;
    }
    gate.opened.notify_one();
    assert!(crash.await.is_err());
    desk.look().enqueue().await.unwrap().await.unwrap();
    assert_eq!(Handle::incarnation(&desk), 2);
}

#[tokio::test]
async fn who_is_stopped_as_it_is_about_to_restart_has_stopped() {
    let gate = Arc::<Gate>::default();
    for is_dropped in [false, true] {
        let desk = desk(&gate);
        Handle::wait_started(&desk).await.unwrap();
        Handle::restart(&desk).unwrap();
        gate.reached.notified().await;
        let weak = desk.downgrade();
        match is_dropped {
            true => drop(desk),
            false => desk.stop(),
        }
        gate.opened.notify_one();
        let reason = weak.join().await;
        assert!(match is_dropped {
            true => matches!(reason, ExitReason::Dropped),
            false => matches!(reason, ExitReason::Stopped),
        });
    }
}

#[tokio::test]
async fn an_actor_that_was_restarted_for_one_link_ends_for_the_next_by_its_own_reason() {
    let mut rig = Rig::new(Verdict::Restart);
    for (incarnation, name) in [(1, "first"), (2, "second")] {
        assert_eq!(rig.starts().await, incarnation);
        let gate = Arc::default();
        let other = Builder::new(Desk { gate }).name(name).spawn();
        Handle::link(&rig.clerk, &other);
        other.kill();
        let (manner, reason) = rig.asked().await;
        assert_eq!(manner, Manner::Failed);
        assert!(reason.contains(name), "{reason}");
    }
}
