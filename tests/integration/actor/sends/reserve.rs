//! Slots that are held without a message.

use std::time::Duration;

use greenroom::Refusal;

use super::polls::{Left, at_every_poll};
use crate::actor::clerk::{ClerkFile, ClerkHold, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Gate, LIMIT, Ledger, assert_at_rest, on_each_runtime, poll_once, until, within,
};

#[test]
fn a_permit_tells_and_asks_without_waiting_and_its_slot_is_nobody_elses() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let first = within(clerk.reserve()).await.unwrap();
        let second = clerk.try_reserve().unwrap();
        let mailbox = clerk.mailbox();
        assert_eq!((mailbox.reserved, mailbox.used), (2, 2));
        assert!(clerk.try_reserve().unwrap_err().is_full());
        let refused = clerk.file(ledger.note(0, 9)).try_tell().unwrap_err();
        assert!(refused.is_full());
        refused.into_message().note.returned();
        first
            .tell(ClerkFile {
                note: ledger.note(1, 0),
            })
            .unwrap();
        let reply = second.enqueue(ClerkFile {
            note: ledger.note(1, 1),
        });
        assert_eq!(within(reply.unwrap()).await.unwrap(), 1);
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn a_permit_that_is_dropped_gives_its_slot_to_whoever_waits() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let permit = clerk.try_reserve().unwrap();
        let mut tell = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        assert!(poll_once(&mut tell).await.is_pending());
        drop(permit);
        // Nobody else would wake the actor, which is idle.
        within(tell).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 1);
    });
}

#[test]
fn a_reserved_slot_is_filled_past_those_who_wait() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let permit = clerk.try_reserve().unwrap();
        let mut tell = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        assert!(poll_once(&mut tell).await.is_pending());
        permit
            .tell(ClerkFile {
                note: ledger.note(1, 0),
            })
            .unwrap();
        within(tell).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.journal(), [(1, 0), (0, 0)]);
    });
}

#[test]
fn an_ask_does_not_overtake_a_tell_of_its_task_that_waits_behind_a_reservation() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let permit = clerk.try_reserve().unwrap();
        // The actor is idle, and nothing is queued.
        let mut tell = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        assert!(poll_once(&mut tell).await.is_pending());
        let mut ask = Box::pin(clerk.file(ledger.note(0, 1)));
        assert!(poll_once(&mut ask).await.is_pending());
        assert_eq!(ledger.tally().handled, 0);
        drop(permit);
        within(ask).await.unwrap();
        within(tell).await.unwrap();
        assert_eq!(ledger.journal(), [(0, 0), (0, 1)]);
        assert_at_rest(&clerk);
    });
}

#[test]
fn many_slots_are_reserved_all_at_once_and_those_left_are_given_back() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        let one = clerk.try_reserve().unwrap();
        assert!(clerk.try_reserve_many(4).unwrap_err().is_full());
        let mut many = Box::pin(clerk.reserve_many(4));
        assert!(poll_once(&mut many).await.is_pending());
        // Three are free, and kept for who stands first.
        assert!(clerk.try_reserve().unwrap_err().is_full());
        drop(one);
        let mut permits = within(many).await.unwrap();
        assert_eq!(permits.len(), 4);
        for index in 0..2 {
            let note = ledger.note(0, index);
            permits.next().unwrap().tell(ClerkFile { note }).unwrap();
        }
        let kept = permits.next().unwrap();
        drop(permits);
        until(|| clerk.mailbox().used == 1).await;
        assert_eq!(clerk.mailbox().reserved, 1);
        drop(kept);
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 2);
        assert_eq!(within(clerk.reserve_many(0)).await.unwrap().count(), 0);
    });
}

#[test]
fn more_slots_than_there_are_are_refused_at_once() {
    on_each_runtime(|| async {
        let clerk = clerk(2);
        let error = within(clerk.reserve_many(3)).await.unwrap_err();
        assert!(matches!(error.refusal(), Refusal::TooMany));
        assert!(
            error
                .to_string()
                .ends_with("gave no slot: its mailbox has fewer slots")
        );
        let error = clerk.try_reserve_many(usize::MAX).unwrap_err();
        assert!(matches!(error.refusal(), Refusal::TooMany));
        clerk.set_capacity(3).unwrap();
        assert_eq!(within(clerk.reserve_many(3)).await.unwrap().len(), 3);
        assert_at_rest(&clerk);
    });
}

#[test]
fn a_reservation_can_be_dropped_after_any_poll() {
    on_each_runtime(|| async {
        for slots in [1, 2] {
            at_every_poll(|round| async move {
                let ledger = Ledger::default();
                let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
                for index in 0..2 {
                    clerk.file(ledger.note(0, index)).tell().await.unwrap();
                }
                let mut reserve = Box::pin(clerk.reserve_many(slots));
                let left = round
                    .poll(&mut reserve, |poll| {
                        if poll == 1 {
                            gate.open();
                        }
                    })
                    .await;
                drop(reserve);
                gate.open();
                within(clerk.ping()).await.unwrap();
                assert_at_rest(&clerk);
                assert_eq!(clerk.mailbox().reserved, 0);
                assert_eq!(ledger.settle().handled, 3);
                left
            })
            .await;
        }
    });
}

#[test]
fn slots_that_were_granted_unseen_are_given_back_by_who_drops_the_wait() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut reserve = Box::pin(clerk.reserve());
        assert!(poll_once(&mut reserve).await.is_pending());
        let mut tell = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        assert!(poll_once(&mut tell).await.is_pending());
        gate.open();
        until(|| clerk.mailbox().reserved == 1).await;
        assert_eq!(clerk.waiting_senders(), 1);
        drop(reserve);
        within(tell).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn a_limit_ends_the_wait_for_a_slot() {
    on_each_runtime(|| async {
        let clerk = clerk(1);
        let permit = clerk.try_reserve().unwrap();
        let short = Duration::from_millis(1);
        let error = within(clerk.reserve().timeout(short)).await.unwrap_err();
        assert!(matches!(error.refusal(), Refusal::Timeout(limit) if *limit == short));
        let past = tokio::time::Instant::now();
        assert!(within(clerk.reserve().deadline(past)).await.is_err());
        assert_eq!(clerk.waiting_senders(), 0);
        drop(permit);
        within(clerk.reserve().timeout(LIMIT)).await.unwrap();
        assert_at_rest(&clerk);
    });
}

#[test]
fn a_permit_that_owns_its_handle_keeps_the_actor_running_and_moves_to_other_threads() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let weak = clerk.downgrade();
        let permit = within(clerk.reserve().into_owned()).await.unwrap();
        drop(clerk);
        assert!(weak.upgrade().is_some());
        let note = ledger.note(0, 0);
        let thread = std::thread::spawn(move || permit.tell(ClerkFile { note }));
        thread.join().unwrap().unwrap();
        within(weak.join()).await;
        assert_eq!(ledger.settle().handled, 1);
    });
}

#[test]
fn slots_are_reserved_from_plain_threads_and_from_other_runtimes() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let (here, there) = (clerk.clone(), ledger.clone());
        let thread = tokio::task::spawn_blocking(move || {
            let permit = here.reserve().blocking().unwrap();
            permit
                .tell(ClerkFile {
                    note: there.note(0, 0),
                })
                .unwrap();
            let mut permits = here.reserve_many(2).timeout(LIMIT).blocking().unwrap();
            let reply = permits.next().unwrap().enqueue(ClerkFile {
                note: there.note(0, 1),
            });
            drop(permits);
            assert_eq!(reply.unwrap().blocking().unwrap(), 1);
            let other = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            other.block_on(async {
                let permit = here.reserve().await.unwrap();
                permit
                    .tell(ClerkFile {
                        note: there.note(0, 2),
                    })
                    .unwrap();
            });
        });
        within(thread).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn a_permit_survives_a_handler_that_holds_the_actor_up() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let permits = within(clerk.reserve_many(2)).await.unwrap();
        let gate = Gate::shut();
        let mut notes = (0..).map(|index| ledger.note(0, index));
        for permit in permits {
            let (note, gate) = (notes.next().unwrap(), gate.clone());
            permit.tell(ClerkHold { note, gate }).unwrap();
        }
        gate.reached().await;
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn the_rounds_end_with_a_reservation_that_gets_done_at_once() {
    on_each_runtime(|| async {
        let clerk = clerk(1);
        at_every_poll(|round| {
            let clerk = &clerk;
            async move {
                let mut reserve = Box::pin(clerk.reserve());
                let left = round.poll(&mut reserve, |_| {}).await;
                assert_eq!(left == Left::Done, round.polls > 0);
                left
            }
        })
        .await;
        assert_at_rest(&clerk);
    });
}
