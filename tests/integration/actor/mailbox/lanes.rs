//! Lanes, and the bounds of starvation, counted in messages.

use greenroom::limits::{BACKGROUND_MESSAGES, URGENT_IN_A_ROW};

use super::depot::{DepotBackground, DepotUrgent, busy};
use crate::actor::support::{Gate, Ledger, assert_at_rest, on_each_runtime, poll_once, within};

/// The senders, in the order in which their messages were handled.
fn senders(ledger: &Ledger) -> Vec<u32> {
    ledger.journal()[1..].iter().map(|note| note.0).collect()
}

#[test]
fn urgent_messages_are_handled_first_and_background_ones_last() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(64, &ledger).await;
        for index in 0..4 {
            depot
                .background(ledger.note(2, index))
                .tell()
                .await
                .unwrap();
            depot.file(ledger.note(1, index)).tell().await.unwrap();
            depot.urgent(ledger.note(0, index)).tell().await.unwrap();
        }
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(senders(&ledger), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(ledger.settle().handled, 13);
        assert_at_rest(&depot);
    });
}

#[test]
fn an_urgent_message_overtakes_what_its_actor_has_taken_out_of_the_mailbox_already() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(64, &ledger).await;
        let second = Gate::shut();
        depot
            .hold(ledger.note(1, 0), second.clone())
            .tell()
            .await
            .unwrap();
        for index in 1..5 {
            depot.file(ledger.note(1, index)).tell().await.unwrap();
        }
        gate.open();
        second.reached().await;
        let urgent = depot.urgent(ledger.note(0, 0)).tell();
        urgent.await.unwrap();
        second.open();
        within(depot.shutdown()).await;
        assert_eq!(senders(&ledger), [1, 0, 1, 1, 1, 1]);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn a_flood_of_urgent_messages_lets_one_other_pass_after_each_eight() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(1000, &ledger).await;
        for index in 0..300 {
            depot.urgent(ledger.note(0, index)).tell().await.unwrap();
        }
        for index in 0..20 {
            depot.file(ledger.note(1, index)).tell().await.unwrap();
        }
        depot.stop();
        gate.open();
        within(depot.join()).await;
        let run = URGENT_IN_A_ROW as usize + 1;
        let senders = senders(&ledger);
        let normal = senders
            .iter()
            .enumerate()
            .filter(|(_, sender)| **sender == 1);
        let places: Vec<_> = normal.map(|(place, _)| place).collect();
        let expected: Vec<_> = (1..21).map(|turn| turn * run - 1).collect();
        assert_eq!(places, expected);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn a_background_message_waits_for_no_more_than_sixty_others() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(1000, &ledger).await;
        for index in 0..4 {
            depot
                .background(ledger.note(2, index))
                .tell()
                .await
                .unwrap();
        }
        for index in 0..400 {
            depot.file(ledger.note(1, index)).tell().await.unwrap();
        }
        gate.open();
        within(depot.shutdown()).await;
        let senders = senders(&ledger);
        let background = senders
            .iter()
            .enumerate()
            .filter(|(_, sender)| **sender == 2);
        let places: Vec<_> = background.map(|(place, _)| place).collect();
        let every = BACKGROUND_MESSAGES as usize;
        assert_eq!(
            places,
            [every - 1, 2 * every - 1, 3 * every - 1, 4 * every - 1]
        );
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn each_lane_keeps_the_order_of_each_sender_however_it_sends() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(8, &ledger).await;
        let senders: Vec<_> = (0..12)
            .map(|sender| {
                let (depot, ledger) = (depot.clone(), ledger.clone());
                greenroom::spawn(async move {
                    for index in 0..60 {
                        let note = ledger.note(sender, index);
                        match (sender % 3, index % 2) {
                            (0, 0) => depot.urgent(note).tell().await.unwrap(),
                            (0, _) => drop(depot.urgent(note).await.unwrap()),
                            (1, 0) => depot.file(note).tell().await.unwrap(),
                            (1, _) => drop(depot.file(note).await.unwrap()),
                            (_, 0) => depot.background(note).tell().await.unwrap(),
                            _ => drop(depot.background(note).await.unwrap()),
                        }
                    }
                })
            })
            .collect();
        gate.open();
        for sender in senders {
            within(sender).await.unwrap();
        }
        within(depot.shutdown()).await;
        assert_eq!(ledger.settle().handled, 12 * 60 + 1);
        assert_at_rest(&depot);
    });
}

#[test]
fn a_stop_lets_every_lane_be_handled_first() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(64, &ledger).await;
        for index in 0..5 {
            depot
                .background(ledger.note(2, index))
                .tell()
                .await
                .unwrap();
            depot.file(ledger.note(1, index)).tell().await.unwrap();
            depot.urgent(ledger.note(0, index)).tell().await.unwrap();
        }
        depot.stop();
        gate.open();
        within(depot.join()).await;
        assert_eq!(ledger.settle().handled, 16);
        assert_at_rest(&depot);
    });
}

#[test]
fn a_kill_hands_the_asks_of_every_lane_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy(64, &ledger).await;
        let mut urgent = Box::pin(depot.urgent(ledger.note(0, 0)));
        let mut background = Box::pin(depot.background(ledger.note(2, 0)));
        assert!(poll_once(&mut urgent).await.is_pending());
        assert!(poll_once(&mut background).await.is_pending());
        depot.urgent(ledger.note(1, 0)).tell().await.unwrap();
        depot.kill();
        gate.open();
        let urgent = within(urgent).await.unwrap_err();
        let DepotUrgent { note } = urgent.into_message().expect("handed back");
        note.returned();
        let background = within(background).await.unwrap_err();
        let DepotBackground { note } = background.into_message().expect("handed back");
        note.returned();
        within(depot.join()).await;
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned, tally.discarded), (1, 2, 1));
        assert_at_rest(&depot);
    });
}
