//! Panics of user code stay where they are: the actor ends or goes on as the docs say, and nobody
//! else is harmed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{AskError, Builder, During, ExitReason, actor};

use crate::actor::support::{Gate, Ledger, Note, assert_at_rest, on_each_seat, poll_once, within};

/// Panics when it is dropped, if it is armed; counts its drops.
struct Bomb {
    armed: bool,
    drops: Arc<AtomicUsize>,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        if self.armed && !std::thread::panicking() {
            panic!("went off");
        }
    }
}

#[derive(Clone, Default)]
struct Bombs(Arc<AtomicUsize>);

impl Bombs {
    fn one(&self, armed: bool) -> Bomb {
        Bomb {
            armed,
            drops: self.0.clone(),
        }
    }

    fn dropped(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[actor(mailbox = 16)]
struct Arsenal {
    _state: Option<Bomb>,
}

#[actor]
impl Arsenal {
    fn file(&mut self, note: Note) {
        note.handled();
    }

    fn store(&mut self, bomb: Bomb, note: Note) {
        note.handled();
        drop((bomb, note));
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    async fn hold_bomb(&mut self, bomb: Bomb, gate: Gate) {
        gate.pass().await;
        drop(bomb);
    }

    fn make(&mut self, bombs: Bombs) -> Bomb {
        bombs.one(true)
    }

    async fn make_later(&mut self, bombs: Bombs, gate: Gate) -> Bomb {
        gate.pass().await;
        bombs.one(true)
    }

    fn ping(&mut self) {}
}

fn arsenal(state: Option<Bomb>) -> ArsenalHandle {
    Arsenal { _state: state }.spawn()
}

/// Runtimes go on after what has happened.
async fn assert_others_answer() {
    let other = arsenal(None);
    within(other.ping()).await.unwrap();
    within(greenroom::spawn(async {})).await.unwrap();
}

#[test]
fn a_state_that_panics_when_dropped_does_not_keep_the_end_from_being_announced() {
    on_each_seat(|| async {
        let bombs = Bombs::default();
        let stopped = arsenal(Some(bombs.one(true)));
        stopped.stop();
        assert!(matches!(within(stopped.join()).await, ExitReason::Stopped));
        let killed = arsenal(Some(bombs.one(true)));
        killed.kill();
        assert!(matches!(within(killed.join()).await, ExitReason::Killed));
        let dropped = arsenal(Some(bombs.one(true)));
        let weak = dropped.downgrade();
        drop(dropped);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(bombs.dropped(), 3);
        assert_others_answer().await;
    });
}

#[test]
fn a_message_that_panics_when_it_is_discarded_does_not_keep_the_others() {
    on_each_seat(|| async {
        let (ledger, bombs, gate) = (Ledger::default(), Bombs::default(), Gate::shut());
        let arsenal = arsenal(None);
        arsenal.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        let mut asks = Vec::new();
        for index in 0..10 {
            let (bomb, note) = (bombs.one(index == 2), ledger.note(0, index));
            let mut ask = Box::pin(arsenal.store(bomb, note).into_owned());
            assert!(poll_once(&mut ask).await.is_pending());
            // Every other asker is gone, so that the actor has to drop the message itself.
            if index % 2 == 1 {
                asks.push(ask);
            }
        }
        arsenal.kill();
        assert!(matches!(within(arsenal.join()).await, ExitReason::Killed));
        assert_eq!(bombs.dropped(), 5);
        for ask in asks {
            let error = within(ask).await.unwrap_err();
            error
                .into_message::<ArsenalStore>()
                .unwrap()
                .note
                .returned();
        }
        assert_eq!(bombs.dropped(), 10);
        assert_at_rest(&arsenal);
        let tally = ledger.settle();
        assert_eq!((tally.returned, tally.discarded), (5, 5));
        assert_others_answer().await;
    });
}

#[test]
fn a_message_that_panics_when_its_handler_drops_it_ends_the_actor_as_any_panic_there() {
    on_each_seat(|| async {
        let (ledger, bombs) = (Ledger::default(), Bombs::default());
        let arsenal = arsenal(None);
        let error = within(arsenal.store(bombs.one(true), ledger.note(0, 0)))
            .await
            .unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)));
        let ExitReason::Panicked(crash) = within(arsenal.join()).await else {
            panic!()
        };
        assert_eq!(crash.text(), "went off");
        assert!(matches!(crash.during(), During::Message(name) if name.contains("ArsenalStore")));
        assert_eq!((bombs.dropped(), ledger.settle().handled), (1, 1));
        assert_at_rest(&arsenal);
    });
}

#[test]
fn a_reply_that_panics_when_dropped_does_not_harm_the_actor_whose_asker_has_gone() {
    on_each_seat(|| async {
        let (bombs, gate) = (Bombs::default(), Gate::shut());
        let arsenal = arsenal(None);
        let mut ask = Box::pin(arsenal.make_later(bombs.clone(), gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        drop(ask);
        gate.open();
        within(arsenal.ping()).await.unwrap();
        assert_eq!(bombs.dropped(), 1);
        arsenal.make(bombs.clone()).tell().await.unwrap();
        within(arsenal.ping()).await.unwrap();
        assert_eq!(bombs.dropped(), 2);
        assert_at_rest(&arsenal);
        assert!(!arsenal.is_stopped());
    });
}

#[test]
fn a_reply_that_panics_when_dropped_in_its_slot_panics_in_its_asker_alone() {
    on_each_seat(|| async {
        let (bombs, gate) = (Bombs::default(), Gate::shut());
        let arsenal = arsenal(None);
        let mut ask = Box::pin(arsenal.make_later(bombs.clone(), gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        gate.open();
        within(arsenal.ping()).await.unwrap();
        assert_eq!(bombs.dropped(), 0);
        let drop_it = std::panic::AssertUnwindSafe(|| drop(ask));
        let _ = std::panic::catch_unwind(drop_it);
        assert_eq!(bombs.dropped(), 1);
        within(arsenal.ping()).await.unwrap();
        assert_at_rest(&arsenal);
    });
}

#[test]
fn a_handler_whose_future_panics_when_it_is_dropped_does_not_keep_a_kill_from_its_end() {
    on_each_seat(|| async {
        let (ledger, bombs, gate) = (Ledger::default(), Bombs::default(), Gate::shut());
        let arsenal = arsenal(Some(bombs.one(false)));
        arsenal
            .hold_bomb(bombs.one(true), gate.clone())
            .tell()
            .await
            .unwrap();
        gate.reached().await;
        arsenal.file(ledger.note(0, 0)).tell().await.unwrap();
        arsenal.kill();
        assert!(matches!(within(arsenal.join()).await, ExitReason::Killed));
        assert_eq!((bombs.dropped(), ledger.settle().discarded), (2, 1));
        assert_at_rest(&arsenal);
        assert_others_answer().await;
    });
}

#[actor]
struct Weird {
    payload: u8,
}

/// A panic's payload that panics itself when it is dropped.
struct Nested;

impl Drop for Nested {
    fn drop(&mut self) {
        panic!("in the payload");
    }
}

#[actor]
impl Weird {
    async fn fall(&mut self) {
        match self.payload {
            0 => std::panic::panic_any(7_u8),
            _ => std::panic::panic_any(Nested),
        }
    }
}

#[test]
fn a_panic_without_a_text_or_with_a_payload_that_panics_ends_its_actor_alone() {
    on_each_seat(|| async {
        for payload in [0, 1] {
            let weird = Weird { payload }.spawn();
            assert!(matches!(
                within(weird.fall()).await,
                Err(AskError::Interrupted(_))
            ));
            let ExitReason::Panicked(crash) = within(weird.join()).await else {
                panic!()
            };
            assert!(!crash.text().is_empty());
            assert_others_answer().await;
        }
    });
}

#[test]
fn two_workers_outlive_a_thousand_panics() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        for index in 0..1_000 {
            let clerk = Builder::new(crate::actor::clerk::Clerk).mailbox(1).spawn();
            match index % 2 {
                0 => drop(
                    within(clerk.crash(ledger.note(0, index)))
                        .await
                        .unwrap_err(),
                ),
                _ => clerk.crash(ledger.note(0, index)).tell().await.unwrap(),
            }
            assert!(matches!(
                within(clerk.join()).await,
                ExitReason::Panicked(_)
            ));
            assert_at_rest(&clerk);
        }
        assert_eq!(ledger.settle().lost, 1_000);
        assert_others_answer().await;
    });
}
