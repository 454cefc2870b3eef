//! All at once: sends of all kinds, cancellations, closes, wakers that meddle.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use greenroom::JoinHandle;

use super::cancel::{KINDS, send};
use crate::actor::clerk::{ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Choices, Ledger, assert_at_rest, on_each_runtime, poll_once, within,
};

/// Sends in all ways at random, and gives each up after some polls.
fn send_at_random(
    sender: u32,
    clerk: ClerkHandle,
    ledger: Ledger,
    rounds: u32,
    polls: u64,
) -> JoinHandle<()> {
    let mut choices = Choices::seeded(u64::from(sender) + 991);
    greenroom::spawn(async move {
        for round in 0..rounds {
            let kind = choices.below(KINDS as u64) as usize;
            let mut sending = send(&clerk, kind, &ledger, (sender, round * 100));
            for _ in 0..choices.below(polls) {
                if poll_once(&mut sending).await.is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
    })
}

#[test]
fn field_21_ten_thousand_sends_of_all_kinds_cancelled_at_random_lose_nothing() {
    for slots in [1, 4] {
        on_each_runtime(move || async move {
            let (ledger, clerk) = (Ledger::default(), clerk(slots));
            let tasks: Vec<_> = (0..8)
                .map(|sender| send_at_random(sender, clerk.clone(), ledger.clone(), 1_250, 5))
                .collect();
            for task in tasks {
                within(task).await.unwrap();
            }
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            assert_eq!(clerk.mailbox().reserved, 0);
            let tally = ledger.settle();
            assert_eq!(tally.returned + tally.withdrawn + tally.lost, 0);
            assert!(tally.handled > 0 && tally.discarded > 0);
        });
    }
}

#[test]
fn field_28_closing_receiving_sending_and_cancelling_at_once_leave_every_slot_free() {
    on_each_runtime(|| async {
        let mut choices = Choices::seeded(28);
        for round in 0..200 {
            let slots = 1 + round % 2;
            let (ledger, clerk) = (Ledger::default(), clerk(slots));
            let mut tasks: Vec<_> = (0..2)
                .map(|sender| send_at_random(sender, clerk.clone(), ledger.clone(), 20, 8))
                .collect();
            tasks.push(send_at_random(2, clerk.clone(), ledger.clone(), 20, 2));
            for _ in 0..choices.below(60) {
                tokio::task::yield_now().await;
            }
            let closer = clerk.clone();
            let is_kill = choices.below(2) == 0;
            tasks.push(greenroom::spawn(async move {
                if is_kill {
                    closer.kill();
                } else {
                    closer.stop();
                }
            }));
            within(clerk.join()).await;
            for task in tasks {
                within(task).await.unwrap();
            }
            assert_at_rest(&clerk);
            assert_eq!(clerk.mailbox().reserved, 0);
            ledger.settle();
        }
    });
}

/// A waker that sends to the actor that it waits for, when it is woken and when it is dropped.
struct Meddler {
    clerk: ClerkHandle,
    ledger: Ledger,
    sent: AtomicUsize,
}

impl Meddler {
    fn meddle(&self) {
        let sent = self.sent.fetch_add(1, Ordering::Relaxed);
        let note = self.ledger.note(7, sent as u32);
        if let Err(error) = self.clerk.try_tell_all([ClerkFile { note }]) {
            error.into_messages().for_each(|file| file.note.returned());
        }
        drop(self.clerk.try_reserve());
    }
}

impl Wake for Meddler {
    fn wake(self: Arc<Self>) {
        self.meddle();
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        self.meddle();
    }
}

#[test]
fn field_26_wakers_that_send_as_they_are_woken_replaced_or_dropped_do_no_harm_to_any_send() {
    on_each_runtime(|| async {
        for kind in 0..KINDS {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
            clerk.file(ledger.note(1, 0)).tell().await.unwrap();
            let mut sending = send(&clerk, kind, &ledger, (0, 0));
            for _ in 0..3 {
                let meddler = Waker::from(Arc::new(Meddler {
                    clerk: clerk.clone(),
                    ledger: ledger.clone(),
                    sent: AtomicUsize::new(0),
                }));
                let polled = sending.as_mut().poll(&mut Context::from_waker(&meddler));
                assert!(polled.is_pending(), "{kind}");
            }
            gate.open();
            within(sending).await;
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            ledger.tally();
        }
    });
}

/// A waker that panics.
struct Alarm(Mutex<u32>);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        *self.0.lock().unwrap() += 1;
        panic!("woken");
    }
}

#[test]
fn field_26_a_waker_that_panics_keeps_no_send_behind_it_asleep() {
    on_each_runtime(|| async {
        for kind in 0..KINDS {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
            for index in 0..2 {
                clerk.file(ledger.note(1, index)).tell().await.unwrap();
            }
            let alarm = Arc::new(Alarm(Mutex::new(0)));
            let mut first = Box::pin(clerk.file(ledger.note(2, 0)).tell());
            let waker = Waker::from(Arc::clone(&alarm));
            let polled = first.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
            let mut others: Vec<_> = (3..5)
                .map(|sender| send(&clerk, kind, &ledger, (sender, 0)))
                .collect();
            for other in &mut others {
                assert!(poll_once(other).await.is_pending());
            }
            gate.open();
            for other in others {
                within(other).await;
            }
            assert!(matches!(poll_once(&mut first).await, Poll::Ready(Ok(()))));
            assert_eq!(*alarm.0.lock().unwrap(), 1);
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            assert_eq!(ledger.settle().discarded, 0, "{kind}");
        }
    });
}
