//! Bounds that nothing gets round, and a capacity that changes.

use greenroom::Handle;
use greenroom::limits::MAILBOX_MAX;

use super::depot::{busy, handled};
use crate::actor::support::{Ledger, assert_at_rest, on_each_runtime, poll_once, until, within};

#[test]
fn more_slots_let_those_in_who_wait_and_fewer_let_stand_what_is_in() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(2, &ledger).await;
        let mut sends = Vec::new();
        for index in 0..20 {
            let mut send = Box::pin(depot.file(ledger.note(0, index)).tell());
            let _ = poll_once(&mut send).await.map(Result::unwrap);
            sends.push(send);
        }
        assert_eq!((depot.free_slots(), depot.waiting_senders()), (0, 18));
        depot.set_capacity(12).unwrap();
        assert_eq!((depot.free_slots(), depot.waiting_senders()), (0, 8));
        depot.set_capacity(3).unwrap();
        let metrics = depot.mailbox();
        assert_eq!(
            (metrics.capacity, metrics.used, metrics.waiting),
            (3, 12, 8)
        );
        assert_eq!(depot.free_slots(), 0);
        gate.open();
        for send in sends.drain(12..) {
            within(send).await.unwrap();
        }
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), (0..20).collect::<Vec<_>>());
        assert_eq!(depot.capacity(), 3);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn a_capacity_that_can_not_be_is_refused_with_its_number_and_nothing_changes() {
    on_each_runtime(|| async {
        let (depot, gate) = busy(2, &Ledger::default()).await;
        for slots in [0, MAILBOX_MAX + 1, usize::MAX] {
            let error = depot.set_capacity(slots).unwrap_err();
            assert_eq!(error.slots(), slots);
            let text = format!("a mailbox has 1 to {MAILBOX_MAX} slots, not {slots}");
            assert_eq!(error.to_string(), text);
        }
        assert_eq!(Handle::capacity(&depot), 2);
        depot.set_capacity(MAILBOX_MAX).unwrap();
        assert_eq!(depot.free_slots(), MAILBOX_MAX);
        gate.open();
    });
}

#[test]
fn a_capacity_that_changes_all_the_time_loses_and_strands_nobody() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(4, &ledger).await;
        let senders: Vec<_> = (0..8)
            .map(|sender| {
                let (depot, ledger) = (depot.clone(), ledger.clone());
                greenroom::spawn(async move {
                    for index in 0..300 {
                        depot.file(ledger.note(sender, index)).tell().await.unwrap();
                    }
                })
            })
            .collect();
        let resizer = {
            let depot = depot.clone();
            greenroom::spawn(async move {
                for round in 0..300 {
                    depot.set_capacity(1 + round * 7 % 16).unwrap();
                    greenroom::yield_now().await;
                }
            })
        };
        gate.open();
        for sender in senders {
            within(sender).await.unwrap();
        }
        within(resizer).await.unwrap();
        within(depot.shutdown()).await;
        assert_eq!(ledger.settle().handled, 8 * 300 + 1);
        assert_at_rest(&depot);
    });
}

#[test]
fn field_32_no_way_to_send_gets_round_the_bound() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(10, &ledger).await;
        let recipient = depot.recipient();
        let mut asks = Vec::new();
        let (mut urgents, mut backgrounds) = (Vec::new(), Vec::new());
        for index in 0..100 {
            let note = |sender| ledger.note(sender, index);
            let mut ask = Box::pin(depot.file(note(0)));
            let mut urgent = Box::pin(depot.urgent(note(1)).tell());
            let mut background = Box::pin(depot.background(note(2)).tell());
            let _ = poll_once(&mut ask).await;
            let _ = poll_once(&mut urgent).await;
            let _ = poll_once(&mut background).await;
            asks.push(ask);
            urgents.push(urgent);
            backgrounds.push(background);
            depot.newest(note(3)).tell().await.unwrap();
            depot.oldest(note(4)).tell().await.unwrap();
            if let Err(error) = depot.reject(note(5)).try_tell() {
                error.into_message().note.returned();
            }
            if let Err(error) = recipient.try_tell(super::depot::DepotFile { note: note(6) }) {
                error.into_message().note.returned();
            }
            assert!(depot.mailbox().used <= 10);
        }
        let waiting = depot.waiting_senders();
        let blocked = {
            let (depot, note) = (depot.clone(), ledger.note(7, 0));
            tokio::task::spawn_blocking(move || depot.file(note).blocking())
        };
        until(|| depot.waiting_senders() == waiting + 1).await;
        assert_eq!(depot.mailbox().used, 10);
        gate.open();
        for ask in asks {
            within(ask).await.unwrap();
        }
        within(blocked).await.unwrap().unwrap();
        drop((urgents, backgrounds));
        within(depot.shutdown()).await;
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn field_23_a_hundred_thousand_senders_that_gave_up_leave_nothing_in_the_line() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(8, &ledger).await;
        let mut sends = Vec::new();
        for _ in 0..100_000 {
            let mut send = Box::pin(depot.rest().tell());
            let _ = poll_once(&mut send).await;
            sends.push(send);
        }
        assert_eq!(depot.waiting_senders(), 100_000 - 8);
        drop(sends);
        assert_eq!(depot.waiting_senders(), 0);
        gate.open();
        within(depot.shutdown()).await;
        assert_at_rest(&depot);
    });
}

#[test]
fn field_22_fifty_senders_that_wait_for_one_slot_all_get_the_same_share() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(1, &ledger).await;
        // In one task, so that which of them runs next is nobody else's choice.
        let senders = futures::future::join_all((0..50).map(|sender| {
            let (depot, ledger) = (depot.clone(), ledger.clone());
            async move {
                for index in 0..100 {
                    depot.file(ledger.note(sender, index)).tell().await.unwrap();
                }
            }
        }));
        let senders = greenroom::spawn(senders);
        until(|| depot.waiting_senders() == 50).await;
        gate.open();
        within(senders).await.unwrap();
        within(depot.shutdown()).await;
        let half = &ledger.journal()[1..2501];
        for sender in 0..50 {
            let share = half.iter().filter(|note| note.0 == sender).count();
            assert!(share >= 25, "sender {sender} had {share} of 2500 turns");
        }
        ledger.settle();
        assert_at_rest(&depot);
    });
}
