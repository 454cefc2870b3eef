//! Sends from code that is not async.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use greenroom::{AskError, Refusal};

use crate::actor::clerk::{Clerk, ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Choices, Flavor, Ledger, assert_at_rest, on_each_seat, on_thread, until, within,
};

#[test]
fn plain_threads_ask_and_tell_an_actor_in_order() {
    on_thread(|| {
        let runtime = Flavor::TwoWorkers.build();
        let ledger = Ledger::default();
        let clerk = runtime.block_on(async { clerk(2) });
        let threads: Vec<_> = (0..4)
            .map(|sender| {
                let (clerk, ledger) = (clerk.clone(), ledger.clone());
                thread::spawn(move || send_blocking(sender, &clerk, &ledger))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_at_rest(&clerk);
        for sender in 0..4 {
            assert_eq!(ledger.handled_without_gaps(sender), 500);
        }
        assert_eq!(ledger.settle().handled, 2_000);
    });
}

fn send_blocking(sender: u32, clerk: &ClerkHandle, ledger: &Ledger) {
    let long = Duration::from_secs(60);
    let mut choices = Choices::seeded(u64::from(sender));
    for index in 0..500 {
        let note = ledger.note(sender, index);
        match choices.below(4) {
            0 => clerk.file(note).tell().blocking().unwrap(),
            1 => assert_eq!(clerk.defer(note).blocking().unwrap(), index),
            2 => clerk.file(note).tell().timeout(long).blocking().unwrap(),
            _ => assert_eq!(clerk.file(note).timeout(long).blocking().unwrap(), index),
        }
    }
    clerk.ping().blocking().unwrap();
}

#[test]
fn a_blocking_pool_thread_asks_and_tells_an_actor() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let task = tokio::task::spawn_blocking({
            let (clerk, ledger) = (clerk.clone(), ledger.clone());
            move || send_blocking(0, &clerk, &ledger)
        });
        within(task).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 500);
    });
}

#[test]
fn a_blocked_tell_waits_for_a_slot_and_is_woken_when_there_is_one() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let thread = thread::spawn({
            let (clerk, note) = (clerk.clone(), ledger.note(0, 1));
            move || clerk.file(note).tell().blocking()
        });
        until(|| clerk.waiting_senders() == 1).await;
        gate.open();
        until(|| thread.is_finished()).await;
        thread.join().unwrap().unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.handled_without_gaps(0), 2);
        ledger.settle();
    });
}

#[test]
fn a_blocked_send_whose_limit_passes_hands_its_message_back() {
    on_each_seat(|| async {
        let (ledger, limit) = (Ledger::default(), Duration::from_millis(5));
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let accepted = thread::spawn({
            let (clerk, note) = (clerk.clone(), ledger.note(0, 0));
            move || clerk.file(note).timeout(limit).blocking()
        });
        until(|| accepted.is_finished()).await;
        let timeout = accepted.join().unwrap().unwrap_err();
        assert!(matches!(timeout, AskError::Timeout(_)), "{timeout:?}");
        let refused = thread::spawn({
            let (clerk, notes) = (clerk.clone(), (ledger.note(0, 1), ledger.note(0, 2)));
            move || {
                let told = clerk.file(notes.0).tell().timeout(limit).blocking();
                (told, clerk.file(notes.1).timeout(limit).blocking())
            }
        });
        until(|| refused.is_finished()).await;
        let (told, asked) = refused.join().unwrap();
        let told = told.unwrap_err();
        assert!(matches!(told.refusal(), Refusal::Timeout(l) if *l == limit));
        told.into_message().note.returned();
        asked
            .unwrap_err()
            .into_message::<ClerkFile>()
            .unwrap()
            .note
            .returned();
        assert_eq!(clerk.waiting_senders(), 0);
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.discarded, tally.returned), (1, 1, 2));
    });
}

#[test]
fn a_thread_blocked_on_an_actor_that_ends_gets_its_message_back() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let thread = thread::spawn({
            let (clerk, note) = (clerk.clone(), ledger.note(0, 1));
            move || clerk.file(note).tell().blocking()
        });
        until(|| clerk.waiting_senders() == 1).await;
        clerk.stop();
        until(|| thread.is_finished()).await;
        thread
            .join()
            .unwrap()
            .unwrap_err()
            .into_message()
            .note
            .returned();
        gate.open();
        within(clerk.join()).await;
        assert_at_rest(&clerk);
        assert_eq!((ledger.settle().handled, ledger.settle().returned), (2, 1));
    });
}

/// What a call panics with.
fn panic_of(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it returned");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => (*other.downcast::<&str>().expect("a text")).to_owned(),
    }
}

#[test]
fn blocking_in_async_code_panics_and_says_what_is_wrong() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), Clerk.spawn());
        let limit = Duration::from_secs(1);
        let check = {
            let (clerk, ledger) = (clerk.clone(), ledger.clone());
            move |place: u32| {
                let next = || ledger.note(place, 0);
                let texts = [
                    panic_of(|| drop(clerk.file(next()).blocking())),
                    panic_of(|| drop(clerk.file(next()).tell().blocking())),
                    panic_of(|| drop(clerk.file(next()).timeout(limit).blocking())),
                    panic_of(|| drop(clerk.file(next()).tell().timeout(limit).blocking())),
                ];
                for text in texts {
                    let lower = text.to_lowercase();
                    assert!(lower.contains("block") && lower.contains("async"), "{text}");
                }
            }
        };
        check(0);
        let inside = check.clone();
        within(greenroom::spawn(async move { inside(1) }))
            .await
            .unwrap();
        within(tokio::spawn(async move { check(2) })).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!(
            (tally.handled, tally.discarded),
            (0, 12),
            "it was sent all the same"
        );
    });
}

#[test]
fn a_thread_that_has_entered_a_runtime_but_runs_no_async_code_may_block() {
    on_thread(|| {
        let (runtime, ledger) = (Flavor::TwoWorkers.build(), Ledger::default());
        let _entered = runtime.enter();
        let clerk = clerk(2);
        assert_eq!(clerk.defer(ledger.note(0, 3)).blocking().unwrap(), 3);
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 1);
    });
}
