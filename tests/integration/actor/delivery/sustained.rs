//! Delivery goes on under load: no stall, no loss.

use greenroom::JoinHandle;

use crate::actor::clerk::{ClerkHandle, clerk};
use crate::actor::support::{Flavor, Ledger, assert_at_rest, on_each_seat, on_runtime, within};

/// Tells so many notes, then asks, so that all were handled.
fn tell_all(sender: u32, count: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<()> {
    greenroom::spawn(async move {
        for index in 0..count {
            clerk.file(ledger.note(sender, index)).tell().await.unwrap();
        }
        clerk.ping().await.unwrap();
    })
}

#[test]
fn four_actors_are_each_told_12_500_messages_ten_times_without_a_stall() {
    on_each_seat(|| async {
        let clerks: Vec<_> = (0..4).map(|_| clerk(64)).collect();
        for _ in 0..10 {
            let ledgers: Vec<_> = clerks.iter().map(|_| Ledger::default()).collect();
            let pairs = clerks.iter().zip(&ledgers);
            let senders: Vec<_> = pairs
                .map(|(clerk, ledger)| tell_all(0, 12_500, clerk.clone(), ledger.clone()))
                .collect();
            for sender in senders {
                within(sender).await.unwrap();
            }
            for (clerk, ledger) in clerks.iter().zip(&ledgers) {
                assert_at_rest(clerk);
                assert_eq!(ledger.handled_without_gaps(0), 12_500);
                assert_eq!(ledger.settle().handled, 12_500);
            }
        }
    });
}

#[test]
fn a_million_messages_go_through_one_slot() {
    on_runtime(Flavor::TwoWorkers, || async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let sender = tell_all(0, 1_000_000, clerk.clone(), ledger.clone());
        within(sender).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.handled_without_gaps(0), 1_000_000);
        assert_eq!(ledger.settle().handled, 1_000_000);
    });
}

#[test]
fn a_hundred_thousand_messages_go_through_one_slot_on_one_thread() {
    on_runtime(Flavor::OneThread, || async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        for sender in 0..4 {
            within(tell_all(sender, 25_000, clerk.clone(), ledger.clone()))
                .await
                .unwrap();
            assert_eq!(ledger.handled_without_gaps(sender), 25_000);
        }
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 100_000);
    });
}

#[test]
fn the_slowest_of_fifty_senders_at_one_slot_has_half_of_its_fair_share_at_least() {
    on_runtime(Flavor::OneThread, || async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let senders: Vec<_> = (0..50)
            .map(|s| tell_all(s, 200, clerk.clone(), ledger.clone()))
            .collect();
        for sender in senders {
            within(sender).await.unwrap();
        }
        assert_eq!(ledger.settle().handled, 10_000);
        let mut done = [0_usize; 50];
        let journal = ledger.journal();
        let first_to_finish = journal.iter().position(|note| note.1 == 199).expect("one");
        for (sender, _) in &journal[..first_to_finish] {
            done[*sender as usize] += 1;
        }
        let slowest = done.iter().min().expect("fifty");
        assert!(
            slowest * 2 >= first_to_finish / 50,
            "{slowest} of {first_to_finish}"
        );
        assert_at_rest(&clerk);
    });
}
