//! A send that is dropped withdraws its message, or it was accepted, and is handled, or skipped:
//! one of them, and never two.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use greenroom::JoinHandle;

use crate::actor::clerk::{ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Choices, LIMIT, Ledger, Note, assert_at_rest, on_each_seat, poll_once, until, within,
};

/// A send of any kind: done or not is all that counts.
type Send_<'h> = Pin<Box<dyn Future<Output = ()> + Send + 'h>>;

const KINDS: usize = 6;

/// Those of them that send one way.
const TELLS: [usize; 2] = [0, 3];

/// A send of one of the kinds that there are.
fn send(clerk: &ClerkHandle, kind: usize, note: Note) -> Send_<'_> {
    match kind {
        0 => Box::pin(async { drop(clerk.file(note).tell().await) }),
        1 => Box::pin(async { drop(clerk.file(note).await) }),
        2 => Box::pin(async { drop(clerk.defer(note).await) }),
        3 => Box::pin(async { drop(clerk.file(note).tell().timeout(LIMIT).await) }),
        4 => Box::pin(async { drop(clerk.defer(note).timeout(LIMIT).await) }),
        _ => Box::pin(async { drop(clerk.defer(note).into_owned().await) }),
    }
}

/// Polls so often, with a turn for others between; says whether it got done.
async fn poll_times(send: &mut Send_<'_>, times: usize) -> bool {
    for _ in 0..times {
        if poll_once(send).await.is_ready() {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

#[test]
fn a_send_to_an_idle_actor_can_be_dropped_after_any_poll() {
    on_each_seat(|| async {
        for kind in 0..KINDS {
            for polls in 0..6 {
                let (ledger, clerk) = (Ledger::default(), clerk(1));
                let note = ledger.note(0, 0);
                let id = note.id;
                let mut send = send(&clerk, kind, note);
                let done = poll_times(&mut send, polls).await;
                ledger.withdraw(id, send);
                within(clerk.ping()).await.unwrap();
                assert_at_rest(&clerk);
                let tally = ledger.settle();
                // An ask that was queued and not yet handled when it was dropped is skipped.
                let skipped = if TELLS.contains(&kind) || done {
                    0
                } else {
                    tally.discarded
                };
                assert_eq!(
                    tally.handled + skipped,
                    usize::from(polls > 0),
                    "{kind} {polls} {done}"
                );
                assert_eq!(
                    tally.withdrawn,
                    usize::from(polls == 0),
                    "{kind} {polls} {done}"
                );
            }
        }
    });
}

#[test]
fn a_send_to_a_full_mailbox_can_be_dropped_after_any_poll() {
    on_each_seat(|| async {
        for kind in 0..KINDS {
            for polls in 0..4 {
                let ledger = Ledger::default();
                let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
                clerk.file(ledger.note(0, 0)).tell().await.unwrap();
                let note = ledger.note(0, 1);
                let id = note.id;
                let mut send = send(&clerk, kind, note);
                assert!(!poll_times(&mut send, polls).await);
                assert_eq!(clerk.waiting_senders(), usize::from(polls > 0));
                ledger.withdraw(id, send);
                assert_eq!(clerk.waiting_senders(), 0);
                assert_eq!(ledger.tally().withdrawn, 1);
                gate.open();
                within(clerk.ping()).await.unwrap();
                assert_at_rest(&clerk);
                assert_eq!(ledger.settle().handled, 2);
            }
        }
    });
}

#[test]
fn a_tell_that_was_granted_its_slot_unseen_is_handled_when_it_is_dropped() {
    on_each_seat(|| async {
        for kind in TELLS {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
            clerk.file(ledger.note(0, 0)).tell().await.unwrap();
            let note = ledger.note(0, 1);
            let id = note.id;
            let mut send = send(&clerk, kind, note);
            assert!(!poll_times(&mut send, 1).await);
            gate.open();
            until(|| clerk.waiting_senders() == 0).await;
            ledger.withdraw(id, send);
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            assert_eq!(ledger.settle().handled, 3);
        }
    });
}

#[test]
fn an_ask_dropped_while_its_handler_waits_is_handled_to_the_end() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, first) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        let (gate, note) = (crate::actor::support::Gate::shut(), ledger.note(0, 0));
        let id = note.id;
        let mut ask = Box::pin(clerk.hold(note, gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        first.open();
        gate.reached().await;
        ledger.withdraw(id, ask);
        assert!(poll_once(&mut Box::pin(clerk.ping())).await.is_pending());
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn cancelling_a_tell_hands_its_message_back_unless_it_was_accepted() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let mut unsent = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        unsent
            .as_mut()
            .cancel()
            .expect("never polled")
            .note
            .returned();
        let mut accepted = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        assert!(poll_once(&mut accepted).await.is_ready());
        assert!(accepted.as_mut().cancel().is_none());
        let mut waits = Box::pin(clerk.file(ledger.note(0, 2)).tell());
        let mut granted = Box::pin(clerk.file(ledger.note(0, 3)).tell());
        assert!(poll_once(&mut waits).await.is_pending());
        assert!(poll_once(&mut granted).await.is_pending());
        let note = waits.as_mut().cancel().expect("it waits").note;
        assert_eq!((note.sender, note.index), (0, 2));
        note.returned();
        assert_eq!(clerk.waiting_senders(), 1);
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert!(granted.as_mut().cancel().is_none());
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (3, 2));
    });
}

#[test]
fn a_waiter_in_the_middle_of_the_line_leaves_no_trace() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(BUSY, 1)).tell().await.unwrap();
        let mut line = Vec::new();
        for sender in 0..1_000 {
            let note = ledger.note(sender, 0);
            let id = note.id;
            let mut send = Box::pin(clerk.file(note).tell());
            assert!(poll_once(&mut send).await.is_pending());
            line.push((id, send));
        }
        assert_eq!(clerk.waiting_senders(), 1_000);
        let (odd, even): (Vec<_>, Vec<_>) = line.into_iter().partition(|(id, _)| id % 2 == 1);
        for (id, send) in odd {
            ledger.withdraw(id, send);
        }
        assert_eq!(clerk.waiting_senders(), 500);
        gate.open();
        for (_, send) in even {
            within(send).await.unwrap();
        }
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.withdrawn), (502, 500));
    });
}

#[test]
fn ten_thousand_sends_cancelled_at_random_lose_and_double_nothing() {
    for slots in [1, 4] {
        on_each_seat(move || async move {
            let (ledger, clerk) = (Ledger::default(), clerk(slots));
            let tasks: Vec<_> = (0..8)
                .map(|s| cancel_at_random(s, clerk.clone(), ledger.clone()))
                .collect();
            for task in tasks {
                within(task).await.unwrap();
            }
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            let tally = ledger.settle();
            let skipped = tally.discarded;
            assert_eq!(
                tally.handled + tally.withdrawn + skipped,
                10_000,
                "{tally:?}"
            );
        });
    }
}

fn cancel_at_random(sender: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<()> {
    let mut choices = Choices::seeded(u64::from(sender) + 77);
    greenroom::spawn(async move {
        for index in 0..1_250 {
            let note = ledger.note(sender, index);
            let id = note.id;
            let mut send = send(&clerk, choices.below(KINDS as u64) as usize, note);
            poll_times(&mut send, choices.below(4) as usize).await;
            ledger.withdraw(id, send);
        }
    })
}

/// A waker whose last drop tells the actor that it waited for.
struct Meddler {
    clerk: ClerkHandle,
    note: std::sync::Mutex<Option<Note>>,
}

impl std::task::Wake for Meddler {
    fn wake(self: std::sync::Arc<Self>) {}
}

impl Drop for Meddler {
    fn drop(&mut self) {
        let note = self.note.get_mut().unwrap().take().expect("dropped once");
        let error = self.clerk.file(note).try_tell().unwrap_err();
        assert!(error.is_full());
        error.into_message().note.returned();
    }
}

#[test]
fn a_waker_that_tells_the_actor_when_it_is_replaced_does_no_harm() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut waits = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        let note = std::sync::Mutex::new(Some(ledger.note(1, 0)));
        let meddler = Waker::from(std::sync::Arc::new(Meddler {
            clerk: clerk.clone(),
            note,
        }));
        assert!(
            waits
                .as_mut()
                .poll(&mut Context::from_waker(&meddler))
                .is_pending()
        );
        drop(meddler);
        assert_eq!(ledger.tally().returned, 0);
        assert!(poll_once(&mut waits).await.is_pending());
        assert_eq!(ledger.tally().returned, 1);
        gate.open();
        within(waits).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3);
    });
}

/// A waker that panics.
struct Alarm;

impl std::task::Wake for Alarm {
    fn wake(self: std::sync::Arc<Self>) {
        panic!("woken");
    }
}

#[test]
fn a_waker_that_panics_does_not_keep_others_asleep() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(3, ledger.note(BUSY, 0)).await;
        for index in 0..3 {
            clerk.file(ledger.note(0, index)).tell().await.unwrap();
        }
        let alarm = Waker::from(std::sync::Arc::new(Alarm));
        let mut first = Box::pin(clerk.file(ledger.note(1, 0)).tell());
        assert!(
            first
                .as_mut()
                .poll(&mut Context::from_waker(&alarm))
                .is_pending()
        );
        let others = futures::future::join(
            clerk.file(ledger.note(2, 0)).tell(),
            clerk.file(ledger.note(3, 0)).tell(),
        );
        let mut others = Box::pin(others);
        assert!(poll_once(&mut others).await.is_pending());
        gate.open();
        let (second, third) = within(others).await;
        second.unwrap();
        third.unwrap();
        within(clerk.ping()).await.unwrap();
        assert!(matches!(poll_once(&mut first).await, Poll::Ready(Ok(()))));
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 7);
    });
}

#[tokio::test(start_paused = true)]
async fn a_timed_send_dropped_before_its_limit_withdraws_its_message() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let note = ledger.note(0, 1);
    let id = note.id;
    let mut send = Box::pin(clerk.file(note).timeout(Duration::from_secs(5)));
    assert!(poll_once(&mut send).await.is_pending());
    tokio::time::advance(Duration::from_secs(4)).await;
    assert!(poll_once(&mut send).await.is_pending());
    ledger.withdraw(id, send);
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.withdrawn), (2, 1));
}
