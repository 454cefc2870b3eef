//! What becomes of messages that find no room.

use greenroom::{AskError, Refusal};

use super::depot::{DepotNewest, DepotOldest, DepotReject, busy, handled};
use crate::actor::support::{Ledger, assert_at_rest, on_each_runtime, poll_once, until, within};

const SENT: u32 = 20_000;
const SLOTS: usize = 100;

#[test]
fn field_34_a_full_mailbox_makes_its_senders_wait_and_loses_nothing() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        let mut sends = Vec::new();
        for index in 0..SENT {
            let mut send = Box::pin(depot.file(ledger.note(0, index)).tell());
            let sent = poll_once(&mut send).await;
            assert_eq!(sent.is_pending(), index >= SLOTS as u32);
            if sent.is_pending() {
                sends.push(send);
            }
        }
        let metrics = depot.mailbox();
        assert_eq!(
            (metrics.used, metrics.waiting),
            (SLOTS, SENT as usize - SLOTS)
        );
        gate.open();
        for send in sends {
            within(send).await.unwrap();
        }
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), (0..SENT).collect::<Vec<_>>());
        assert_eq!(depot.mailbox().dropped, 0);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn field_34_a_message_that_rejects_is_handed_back_and_its_sender_goes_on() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        for index in 0..SENT {
            if let Err(error) = depot.reject(ledger.note(0, index)).tell().await {
                assert!(error.is_full() && index >= SLOTS as u32);
                error.into_message().note.returned();
            }
        }
        let error = depot.reject(ledger.note(1, 0)).await.unwrap_err();
        let DepotReject { note } = error.into_message().expect("handed back");
        note.returned();
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), (0..SLOTS as u32).collect::<Vec<_>>());
        assert_eq!(ledger.settle().returned, SENT as usize - SLOTS + 1);
        assert_at_rest(&depot);
    });
}

#[test]
fn field_34_of_messages_that_drop_the_newest_the_first_survive() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        for index in 0..SENT {
            depot.newest(ledger.note(0, index)).tell().await.unwrap();
        }
        let dropped = SENT as usize - SLOTS;
        assert_eq!(depot.mailbox().dropped, dropped as u64);
        assert_eq!(ledger.tally().discarded, dropped);
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), (0..SLOTS as u32).collect::<Vec<_>>());
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn field_34_of_messages_that_drop_the_oldest_the_last_survive() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        for index in 0..SENT {
            depot.oldest(ledger.note(0, index)).try_tell().unwrap();
        }
        let dropped = SENT as usize - SLOTS;
        assert_eq!(depot.mailbox().dropped, dropped as u64);
        assert_eq!(ledger.tally().discarded, dropped);
        gate.open();
        within(depot.shutdown()).await;
        let last = SENT - SLOTS as u32;
        assert_eq!(handled(&ledger, 0), (last..SENT).collect::<Vec<_>>());
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn field_34_of_messages_with_one_key_the_latest_survives() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        for index in 0..SENT {
            let key = index % SLOTS as u32;
            depot
                .latest(key, ledger.note(0, index))
                .tell()
                .await
                .unwrap();
        }
        assert_eq!(depot.mailbox().dropped, u64::from(SENT) - SLOTS as u64);
        // A new key has nothing to replace.
        let mut waiting = Box::pin(depot.latest(u32::MAX, ledger.note(0, SENT)).tell());
        assert!(poll_once(&mut waiting).await.is_pending());
        gate.open();
        within(waiting).await.unwrap();
        within(depot.shutdown()).await;
        let last = SENT - SLOTS as u32;
        assert_eq!(handled(&ledger, 0), (last..=SENT).collect::<Vec<_>>());
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn field_34_stops_and_what_may_not_be_dropped_survive_a_flood_of_what_may() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(SLOTS, &ledger).await;
        for index in 0..10 {
            depot.file(ledger.note(1, index)).tell().await.unwrap();
            depot
                .latest(index, ledger.note(2, index))
                .tell()
                .await
                .unwrap();
        }
        for index in 0..1000 {
            depot.oldest(ledger.note(0, index)).tell().await.unwrap();
            depot.newest(ledger.note(3, index)).tell().await.unwrap();
        }
        depot.stop();
        gate.open();
        within(depot.join()).await;
        assert_eq!(handled(&ledger, 1), (0..10).collect::<Vec<_>>());
        assert_eq!(handled(&ledger, 2), (0..10).collect::<Vec<_>>());
        assert_eq!(ledger.settle().handled, SLOTS + 1);
        assert_at_rest(&depot);
    });
}

#[test]
fn an_ask_that_is_dropped_gets_its_message_back_and_learns_why() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(1, &ledger).await;
        let mut oldest = Box::pin(depot.oldest(ledger.note(0, 0)));
        assert!(poll_once(&mut oldest).await.is_pending());
        // A newcomer that goes itself.
        match within(depot.newest(ledger.note(1, 0))).await.unwrap_err() {
            AskError::NotHandled(error) => {
                assert!(matches!(error.refusal(), Refusal::Overflow));
                assert!(
                    error
                        .to_string()
                        .ends_with("full, and the message was dropped")
                );
                let DepotNewest { note } = error.into_message().expect("its message");
                note.returned();
            }
            other => panic!("{other:?}"),
        }
        // One that goes for a newcomer.
        depot.oldest(ledger.note(2, 0)).tell().await.unwrap();
        let error = within(oldest).await.unwrap_err();
        let DepotOldest { note } = error.into_message().expect("its message");
        note.returned();
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 2), [0]);
        assert_eq!(ledger.settle().returned, 2);
        assert_eq!(depot.mailbox().dropped, 2);
        assert_at_rest(&depot);
    });
}

#[test]
fn who_waits_is_let_in_before_the_newcomer_that_makes_room() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(2, &ledger).await;
        for index in 0..2 {
            depot.oldest(ledger.note(0, index)).tell().await.unwrap();
        }
        let mut waiting = Box::pin(depot.file(ledger.note(1, 0)).tell());
        assert!(poll_once(&mut waiting).await.is_pending());
        depot.oldest(ledger.note(0, 2)).tell().await.unwrap();
        assert!(poll_once(&mut waiting).await.is_ready());
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(ledger.journal()[1..], [(1, 0), (0, 2)]);
        assert_eq!(ledger.settle().discarded, 2);
        assert_at_rest(&depot);
    });
}

#[test]
fn many_senders_of_all_kinds_at_once_leave_no_message_without_a_fate() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(8, &ledger).await;
        let senders: Vec<_> = (0..10)
            .map(|sender| {
                let (depot, ledger) = (depot.clone(), ledger.clone());
                greenroom::spawn(async move {
                    for index in 0..200 {
                        let note = ledger.note(sender, index);
                        match sender % 5 {
                            0 => depot.file(note).tell().await.unwrap(),
                            1 => match depot.reject(note).tell().await {
                                Ok(()) => {}
                                Err(error) => error.into_message().note.returned(),
                            },
                            2 => depot.newest(note).tell().await.unwrap(),
                            3 => depot.oldest(note).tell().await.unwrap(),
                            _ => depot.latest(index % 3, note).tell().await.unwrap(),
                        }
                    }
                })
            })
            .collect();
        until(|| depot.waiting_senders() > 0).await;
        gate.open();
        for sender in senders {
            within(sender).await.unwrap();
        }
        within(depot.shutdown()).await;
        let tally = ledger.settle();
        assert_eq!(tally.discarded as u64, depot.mailbox().dropped);
        assert_eq!(tally.handled + tally.returned + tally.discarded, 2001);
        assert_at_rest(&depot);
    });
}
