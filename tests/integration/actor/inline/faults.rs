//! Panics at each place of user code round an inline run.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use greenroom::{AskError, ExitReason, actor};

use crate::actor::support::{Gate, Ledger, Note, on_each_runtime, poll_once, until, within};

/// Panics when it is dropped.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("a drop that panics");
        }
    }
}

/// What of it panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    None,
    Body,
    AsyncBody,
    Payload,
    FutureDrop,
    FutureAndReplyDrop,
    Message,
    AfterAwait,
}

const SPOTS: [Spot; 8] = [
    Spot::None,
    Spot::Body,
    Spot::AsyncBody,
    Spot::Payload,
    Spot::FutureDrop,
    Spot::FutureAndReplyDrop,
    Spot::Message,
    Spot::AfterAwait,
];

/// A state whose drop panics, if it is told so.
#[actor(mailbox = 8)]
struct Victim {
    _states: Arc<()>,
    _mine: Option<Mine>,
}

#[actor]
impl Victim {
    #[message(inline = always)]
    fn at_once(&mut self, spot: Spot, _note: Option<Mine>) -> Option<Mine> {
        match spot {
            Spot::Body => panic!("at once"),
            Spot::Payload => std::panic::panic_any(Mine),
            _ => None,
        }
    }

    #[message(inline = always)]
    async fn later(&mut self, spot: Spot, wait: Option<Gate>) -> Option<Mine> {
        let _local = (spot == Spot::FutureDrop || spot == Spot::FutureAndReplyDrop).then(|| Mine);
        assert!(spot != Spot::AsyncBody, "in the body");
        if let Some(gate) = wait {
            gate.pass().await;
            assert!(spot != Spot::AfterAwait, "after an await");
        }
        (spot == Spot::FutureAndReplyDrop).then(|| Mine)
    }

    /// Has messages arrive behind it, and panics.
    #[message(inline = always)]
    fn last(&mut self, me: VictimHandle, ledger: Ledger) {
        for index in 0..4 {
            me.queue(ledger.note(0, index)).try_tell().unwrap();
        }
        panic!("the last");
    }

    fn queue(&mut self, note: Note) {
        note.handled();
    }
}

fn victim(states: &Arc<()>, mine: bool) -> VictimHandle {
    Victim {
        _states: Arc::clone(states),
        _mine: mine.then(|| Mine),
    }
    .spawn()
}

#[test]
fn a_panic_at_any_spot_of_an_inline_run_ends_its_actor_alone_and_is_told() {
    on_each_runtime(|| async {
        for (spot, mined_state, gated) in SPOTS
            .iter()
            .flat_map(|&s| [(s, false), (s, true)])
            .flat_map(|(s, m)| [(s, m, false), (s, m, true)])
        {
            let states = Arc::new(());
            let actor = victim(&states, mined_state);
            let gate = Gate::shut();
            gate.open();
            let answer = match spot {
                Spot::Body | Spot::Payload => within(actor.at_once(spot, None)).await,
                // The message's own drop panics, in the handler's frame.
                Spot::Message => within(actor.at_once(spot, Some(Mine))).await,
                _ => within(actor.later(spot, gated.then_some(gate))).await,
            };
            let crashes = match spot {
                Spot::None => false,
                Spot::AfterAwait => gated,
                _ => true,
            };
            match answer {
                Ok(reply) => {
                    assert!(!crashes, "{spot:?}");
                    assert!(reply.is_none());
                    actor.stop();
                }
                Err(AskError::Interrupted(_)) => assert!(crashes, "{spot:?}"),
                Err(other) => panic!("{spot:?}: {other}"),
            }
            let reason = within(actor.join()).await;
            assert_eq!(
                matches!(reason, ExitReason::Panicked(_)),
                crashes,
                "{spot:?}"
            );
            drop(actor);
            assert_eq!(Arc::strong_count(&states), 1, "{spot:?}");
        }
    });
}

#[test]
fn what_came_behind_an_inline_handler_that_crashed_is_discarded_once() {
    on_each_runtime(|| async {
        let (states, ledger) = (Arc::new(()), Ledger::default());
        let actor = victim(&states, true);
        let answer = within(actor.last(actor.clone(), ledger.clone())).await;
        assert!(
            matches!(answer, Err(AskError::Interrupted(_))),
            "{answer:?}"
        );
        within(actor.join()).await;
        drop(actor);
        assert_eq!(ledger.settle().discarded, 4);
        assert_eq!(Arc::strong_count(&states), 1);
    });
}

/// A waker that panics when it is woken.
struct PanicsWhenWoken(AtomicUsize);

impl Wake for PanicsWhenWoken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("a wake");
    }
}

#[test]
fn an_askers_waker_that_panics_loses_no_reply_of_a_handler_that_suspended_inline() {
    on_each_runtime(|| async {
        let states = Arc::new(());
        let (actor, gate) = (victim(&states, false), Gate::shut());
        let woken = Arc::new(PanicsWhenWoken(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut ask = Box::pin(actor.later(Spot::None, Some(gate.clone())));
        assert!(
            ask.as_mut()
                .poll(&mut TaskContext::from_waker(&waker))
                .is_pending()
        );
        gate.open();
        until(|| woken.0.load(Ordering::SeqCst) > 0).await;
        assert!(within(ask).await.unwrap().is_none());
        assert!(within(actor.later(Spot::None, None)).await.is_ok());
    });
}

#[test]
fn an_ask_that_is_polled_after_its_inline_reply_panics_and_does_no_harm() {
    on_each_runtime(|| async {
        let states = Arc::new(());
        let actor = victim(&states, false);
        let mut ask = Box::pin(actor.at_once(Spot::None, None));
        assert!(poll_once(&mut ask).await.is_ready());
        let again = catch_unwind(AssertUnwindSafe(|| {
            let _ = ask
                .as_mut()
                .poll(&mut TaskContext::from_waker(Waker::noop()));
        }));
        assert!(again.is_err());
        drop(ask);
        assert!(within(actor.at_once(Spot::None, None)).await.is_ok());
    });
}

#[actor]
struct Loop;

#[actor]
impl Loop {
    /// Asks itself, with a limit.
    #[message(inline = always)]
    async fn ask_itself(&mut self, me: LoopHandle) -> bool {
        let limit = std::time::Duration::from_millis(1);
        matches!(me.ping().timeout(limit).await, Err(AskError::Timeout(_)))
    }

    /// Asks another that asks this one, each within a limit.
    #[message(inline = always)]
    async fn ask_around(&mut self, me: LoopHandle, other: LoopHandle) -> bool {
        other.ask_back(me).await.unwrap()
    }

    #[message(inline = always)]
    async fn ask_back(&mut self, other: LoopHandle) -> bool {
        let limit = std::time::Duration::from_millis(1);
        matches!(other.ping().timeout(limit).await, Err(AskError::Timeout(_)))
    }

    #[message(inline = always)]
    fn ping(&mut self) {}
}

#[test]
fn an_actor_that_asks_itself_or_in_a_circle_inline_is_never_entered_twice() {
    on_each_runtime(|| async {
        let (first, second) = (Loop.spawn(), Loop.spawn());
        assert!(within(first.ask_itself(first.clone())).await.unwrap());
        let circle = first.ask_around(first.clone(), second.clone());
        assert!(within(circle).await.unwrap());
        within(first.ping()).await.unwrap();
        within(second.ping()).await.unwrap();
    });
}

#[test]
fn a_panicking_reply_that_its_asker_drops_harms_the_asker_alone() {
    static DROPPED: AtomicBool = AtomicBool::new(false);
    struct Loud;
    impl Drop for Loud {
        fn drop(&mut self) {
            DROPPED.store(true, Ordering::SeqCst);
            panic!("a reply");
        }
    }
    #[actor]
    struct Giver;
    #[actor]
    impl Giver {
        #[message(inline = always)]
        async fn give(&mut self, gate: Gate) -> Loud {
            gate.pass().await;
            Loud
        }
    }
    on_each_runtime(|| async {
        let (giver, gate) = (Giver.spawn(), Gate::shut());
        let mut ask = Box::pin(giver.give(gate.clone()));
        assert!(matches!(poll_once(&mut ask).await, Poll::Pending));
        drop(ask);
        gate.open();
        giver.stop();
        assert!(matches!(within(giver.join()).await, ExitReason::Stopped));
        assert!(DROPPED.swap(false, Ordering::SeqCst));
    });
}
