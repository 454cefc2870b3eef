//! Messages of one sender are handled in the order of their sends, on every path.

use futures::future::join3;
use greenroom::{JoinHandle, Recipient};

use crate::actor::clerk::{ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Choices, Ledger, assert_at_rest, on_each_seat, poll_once, within,
};

const SENDERS: u32 = 16;
const ROUNDS: u32 = 400;

#[test]
fn sixteen_senders_that_mix_all_ways_to_send_are_each_handled_in_order() {
    for slots in [1, 3, 64] {
        on_each_seat(move || async move {
            let (ledger, clerk) = (Ledger::default(), clerk(slots));
            let senders: Vec<_> = (0..SENDERS)
                .map(|s| send_by_all_ways(s, clerk.clone(), ledger.clone()))
                .collect();
            let mut sent = 0;
            for (sender, task) in (0..).zip(senders) {
                let count = within(task).await.unwrap();
                assert_eq!(ledger.handled_without_gaps(sender), count);
                sent += count as usize;
            }
            assert_at_rest(&clerk);
            assert_eq!(ledger.settle().handled, sent);
        });
    }
}

/// Sends by a way drawn for each, and at last asks, so that all were handled; says how many.
fn send_by_all_ways(sender: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<u32> {
    let recipient: Recipient<ClerkFile> = clerk.recipient();
    let mut choices = Choices::seeded(u64::from(sender) + 1);
    greenroom::spawn(async move {
        let mut index = 0;
        let mut next = || {
            index += 1;
            ledger.note(sender, index - 1)
        };
        for _ in 0..ROUNDS {
            match choices.below(6) {
                0 => clerk.file(next()).tell().await.unwrap(),
                1 => drop(clerk.file(next()).await.unwrap()),
                2 => drop(clerk.defer(next()).await.unwrap()),
                3 => {
                    if let Err(full) = clerk.file(next()).try_tell() {
                        assert!(full.is_full());
                        clerk.tell(full.into_message()).await.unwrap();
                    }
                }
                4 => {
                    let note = next();
                    recipient.tell(ClerkFile { note }).await.unwrap();
                }
                _ => {
                    let three = (
                        clerk.file(next()).tell(),
                        clerk.file(next()),
                        clerk.file(next()).tell(),
                    );
                    let (first, second, third) = join3(three.0, three.1, three.2).await;
                    first.unwrap();
                    second.unwrap();
                    third.unwrap();
                }
            }
        }
        clerk.ping().await.unwrap();
        index
    })
}

#[test]
fn two_sends_of_one_task_are_ordered_by_their_first_polls_not_by_their_making() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let mut ask = Box::pin(clerk.file(ledger.note(0, 2)));
        let mut tell = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        let mut fill = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        assert!(poll_once(&mut fill).await.is_ready());
        assert!(poll_once(&mut tell).await.is_pending());
        assert!(poll_once(&mut ask).await.is_pending());
        gate.open();
        within(ask).await.unwrap();
        within(tell).await.unwrap();
        assert_eq!(ledger.handled_without_gaps(0), 3);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn a_try_tell_does_not_overtake_a_send_that_waits() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut waits = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        assert!(poll_once(&mut waits).await.is_pending());
        let mut note = ledger.note(0, 2);
        gate.open();
        loop {
            match clerk.try_tell(ClerkFile { note }) {
                Ok(()) => break,
                Err(full) => note = full.into_message().note,
            }
            tokio::task::yield_now().await;
        }
        within(clerk.ping()).await.unwrap();
        waits.await.unwrap();
        assert_eq!(ledger.handled_without_gaps(0), 3);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn an_ask_of_an_idle_actor_does_not_overtake_what_was_told_before() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        for round in 0..1_000 {
            clerk.defer(ledger.note(0, round * 3)).tell().await.unwrap();
            clerk
                .file(ledger.note(0, round * 3 + 1))
                .try_tell()
                .unwrap();
            within(clerk.file(ledger.note(0, round * 3 + 2)))
                .await
                .unwrap();
        }
        assert_eq!(ledger.handled_without_gaps(0), 3_000);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn those_who_wait_are_served_in_the_order_in_which_they_came_however_many_come_after() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        let mut line = Vec::new();
        for place in 0..52 {
            let mut send = Box::pin(clerk.file(ledger.note(0, place)).tell());
            assert_eq!(poll_once(&mut send).await.is_ready(), place < 2);
            line.push(send);
        }
        let crowd: Vec<_> = (1..5)
            .map(|sender| send_by_all_ways(sender, clerk.clone(), ledger.clone()))
            .collect();
        gate.open();
        for sender in crowd {
            within(sender).await.unwrap();
        }
        assert_eq!(ledger.handled_without_gaps(0), 52);
        let newcomers = ledger
            .journal()
            .into_iter()
            .take(53)
            .filter(|note| note.0 != 0)
            .count();
        assert_eq!(
            newcomers, 1,
            "others than the first came before those who waited"
        );
        drop(line);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn a_try_tell_that_keeps_trying_while_slots_come_free_does_not_overtake_either() {
    // Without a budget, so that each first poll takes its place in the line.
    on_each_seat(|| tokio::task::unconstrained(keep_trying()));
}

async fn keep_trying() {
    let (ledger, clerk) = (Ledger::default(), clerk(1));
    for round in 0..10_000 {
        let index = round * 3;
        clerk.file(ledger.note(0, index)).tell().await.unwrap();
        let mut waits = Box::pin(clerk.file(ledger.note(0, index + 1)).tell());
        let waiting = poll_once(&mut waits).await.is_pending();
        let mut note = ledger.note(0, index + 2);
        while let Err(full) = clerk.try_tell(ClerkFile { note }) {
            note = full.into_message().note;
            // On one thread nobody else would ever run.
            if round % 2 == 0 || clerk.free_slots() == 0 {
                tokio::task::yield_now().await;
            }
        }
        if waiting {
            within(waits).await.unwrap();
        }
    }
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    assert_eq!(ledger.handled_without_gaps(0), 30_000);
    ledger.settle();
}
