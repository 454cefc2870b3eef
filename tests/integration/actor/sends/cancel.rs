//! Each way to send can be dropped after any poll: what was accepted is handled, all else is gone
//! with the future, and nobody else feels it.

use std::pin::Pin;
use std::time::Duration;

use futures::SinkExt;
use greenroom::{AskError, Refusal};

use super::polls::{Left, at_every_poll};
use crate::actor::clerk::{ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{BUSY, LIMIT, Ledger, assert_at_rest, on_each_runtime, within};

/// A send of any kind: done or not is all that counts.
pub(super) type Sending = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) const KINDS: usize = 10;

/// Most messages that one of them sends.
const MOST: u32 = 5;

/// A send of one of the kinds that there are, of notes from this one on.
pub(super) fn send(clerk: &ClerkHandle, kind: usize, ledger: &Ledger, who: (u32, u32)) -> Sending {
    let (clerk, ledger) = (clerk.clone(), ledger.clone());
    let (sender, first) = who;
    let mut files = (first..).map(move |index| ClerkFile {
        note: ledger.note(sender, index),
    });
    let mut file = move || files.next().expect("they have no end");
    match kind {
        0 => Box::pin(async move { drop(clerk.recipient().tell(file()).await) }),
        1 => Box::pin(async move { drop(clerk.recipient().tell(file()).timeout(LIMIT).await) }),
        2 => Box::pin(async move { drop(clerk.ask_recipient().ask(file()).await) }),
        3 => Box::pin(async move { drop(clerk.ask_recipient().ask(file()).timeout(LIMIT).await) }),
        4 => Box::pin(async move {
            let files = std::iter::repeat_with(file).take(MOST as usize);
            drop(clerk.tell_all(files).await);
        }),
        5 => Box::pin(async move {
            let files = std::iter::repeat_with(file).take(MOST as usize);
            drop(clerk.recipient().tell_all(files).timeout(LIMIT).await);
        }),
        6 => Box::pin(async move {
            let mut sink = clerk.sink();
            for _ in 0..2 {
                drop(sink.send(file()).await);
            }
        }),
        7 => Box::pin(async move {
            if let Ok(permit) = clerk.reserve().await {
                drop(permit.tell(file()));
            }
        }),
        8 => Box::pin(async move {
            if let Ok(permits) = clerk.reserve_many(clerk.capacity()).timeout(LIMIT).await {
                permits.take(2).for_each(|permit| drop(permit.tell(file())));
            }
        }),
        _ => Box::pin(async move {
            if let Ok(permit) = clerk.reserve().await
                && let Ok(reply) = permit.enqueue(file())
            {
                drop(reply.await);
            }
        }),
    }
}

#[test]
fn sends_of_all_kinds_to_an_idle_actor_can_be_dropped_after_any_poll() {
    on_each_runtime(|| async {
        for (kind, slots) in (0..KINDS).flat_map(|kind| [(kind, 1), (kind, 3)]) {
            at_every_poll(|round| async move {
                let (ledger, clerk) = (Ledger::default(), clerk(slots));
                let mut sending = send(&clerk, kind, &ledger, (0, 0));
                let left = round.poll(&mut sending, |_| {}).await;
                drop(sending);
                within(clerk.ping()).await.unwrap();
                assert_at_rest(&clerk);
                let handled = ledger.handled_without_gaps(0);
                let tally = ledger.settle();
                assert_eq!(tally.handled, handled as usize);
                assert_eq!(tally.returned + tally.withdrawn + tally.lost, 0);
                if left == Left::Done {
                    assert_eq!(tally.discarded, 0, "{kind} {slots}");
                    assert!(handled > 0, "{kind} {slots}");
                }
                left
            })
            .await;
        }
    });
}

#[test]
fn sends_of_all_kinds_to_a_full_mailbox_can_be_dropped_after_any_poll() {
    on_each_runtime(|| async {
        for (kind, slots) in (0..KINDS).flat_map(|kind| [(kind, 1), (kind, 2)]) {
            at_every_poll(|round| async move {
                let ledger = Ledger::default();
                let (clerk, gate) = busy_clerk(slots, ledger.note(BUSY, 0)).await;
                for index in 0..slots {
                    clerk
                        .file(ledger.note(1, index as u32))
                        .tell()
                        .await
                        .unwrap();
                }
                let mut sending = send(&clerk, kind, &ledger, (0, 0));
                let between = |poll| {
                    if poll == 0 {
                        assert_eq!(clerk.waiting_senders(), 1, "{kind} {slots}");
                    } else {
                        gate.open();
                    }
                };
                let left = round.poll(&mut sending, between).await;
                drop(sending);
                if round.polls < 2 {
                    assert_eq!(clerk.waiting_senders(), 0, "it has left the line");
                    assert_eq!(clerk.mailbox().used, slots);
                }
                gate.open();
                within(clerk.ping()).await.unwrap();
                assert_at_rest(&clerk);
                ledger.handled_without_gaps(0);
                let tally = ledger.settle();
                if left == Left::Done {
                    assert_eq!(tally.discarded, 0, "{kind} {slots}");
                }
                left
            })
            .await;
        }
    });
}

#[test]
fn field_21_every_send_with_a_limit_hands_its_messages_back_when_that_passes() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(1, 0)).tell().await.unwrap();
        let (limit, recipient) = (Duration::from_millis(1), clerk.recipient());
        let file = |index| ClerkFile {
            note: ledger.note(0, index),
        };
        let mut back = Vec::new();
        let told = [
            within(clerk.tell(file(0)).timeout(limit))
                .await
                .unwrap_err(),
            within(recipient.tell(file(1)).timeout(limit))
                .await
                .unwrap_err(),
        ];
        for error in told {
            assert!(matches!(error.refusal(), Refusal::Timeout(_)));
            back.push(error.into_message());
        }
        let asked: [AskError; 2] = [
            within(clerk.ask(file(2)).timeout(limit)).await.unwrap_err(),
            within(clerk.ask_recipient().ask(file(3)).timeout(limit))
                .await
                .unwrap_err(),
        ];
        back.extend(asked.map(|error| error.into_message().expect("not accepted")));
        let many = clerk.tell_all([file(4), file(5)]).timeout(limit);
        back.extend(within(many).await.unwrap_err().into_messages());
        let enqueued = clerk.file(ledger.note(0, 6)).enqueue().timeout(limit);
        back.push(within(enqueued).await.unwrap_err().into_message());
        assert!(within(clerk.reserve().timeout(limit)).await.is_err());
        back.push(clerk.try_tell(file(7)).unwrap_err().into_message());
        back.extend(
            clerk
                .try_tell_all([file(8), file(9)])
                .unwrap_err()
                .into_messages(),
        );
        assert!(back.iter().map(|file| file.note.index).eq(0..10));
        back.into_iter().for_each(|file| file.note.returned());
        assert_eq!((clerk.waiting_senders(), clerk.mailbox().used), (0, 1));
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn field_21_a_send_that_loses_a_race_drops_its_messages_once_and_takes_no_slot() {
    on_each_runtime(|| async {
        for kind in 0..KINDS {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
            clerk.file(ledger.note(1, 0)).tell().await.unwrap();
            tokio::select! {
                biased;
                () = send(&clerk, kind, &ledger, (0, 0)) => panic!("{kind}: no slot is free"),
                () = tokio::task::yield_now() => {}
            }
            assert_eq!((clerk.waiting_senders(), clerk.mailbox().used), (0, 1));
            gate.open();
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            // A message that is dropped twice is a fault of the ledger's.
            assert_eq!(ledger.settle().handled, 2, "{kind}");
        }
    });
}
