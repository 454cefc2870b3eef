//! Which messages are undelivered, and why: each is handled, handed back, withdrawn or reported.

use std::sync::mpsc::Receiver;

use greenroom::{AskError, Builder, ExitReason, Refusal, Undelivered, UndeliveredReason};

use super::hooks::heard_clerk;
use crate::actor::clerk::{ClerkFile, clerk};
use crate::actor::support::{
    BUSY, Flavor, Gate, Ledger, assert_at_rest, on_each_runtime, poll_once, until, within,
};

/// Notes the letters' messages as reported; gives the reasons.
pub(super) fn reported(letters: &Receiver<Undelivered>) -> Vec<UndeliveredReason> {
    let letters = letters.try_iter().map(|letter| {
        let reason = letter.reason().clone();
        letter
            .downcast::<ClerkFile>()
            .expect("a `ClerkFile`")
            .note
            .reported();
        reason
    });
    letters.collect()
}

#[test]
fn what_was_told_is_undelivered_when_its_actor_is_killed_and_what_was_asked_goes_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate, letters) = heard_clerk(2, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut ask = Box::pin(clerk.file(ledger.note(0, 1)));
        assert!(poll_once(&mut ask).await.is_pending());
        let mut waits = Box::pin(clerk.file(ledger.note(0, 2)).tell());
        assert!(poll_once(&mut waits).await.is_pending());
        clerk.kill();
        let error = within(ask).await.unwrap_err();
        error.into_message::<ClerkFile>().unwrap().note.returned();
        let error = within(waits).await.unwrap_err();
        error.into_message().note.returned();
        within(clerk.join()).await;
        let reasons = reported(&letters);
        assert!(
            matches!(reasons[..], [UndeliveredReason::Ended(ExitReason::Killed)]),
            "{reasons:?}"
        );
        let tally = ledger.settle();
        assert_eq!((tally.reported, tally.returned), (1, 2));
        assert_at_rest(&clerk);
    });
}

#[test]
fn what_was_asked_is_undelivered_when_its_asker_went_before_the_actor_ended() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate, letters) = heard_clerk(2, ledger.note(BUSY, 0)).await;
        let mut ask = Box::pin(clerk.file(ledger.note(0, 1)));
        assert!(poll_once(&mut ask).await.is_pending());
        drop(ask);
        clerk.kill();
        within(clerk.join()).await;
        let reasons = reported(&letters);
        assert!(
            matches!(reasons[..], [UndeliveredReason::Ended(ExitReason::Killed)]),
            "{reasons:?}"
        );
        assert_eq!(ledger.settle().reported, 1);
    });
}

#[test]
fn what_goes_back_to_an_asker_who_leaves_without_a_look_is_undelivered() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
        let mut ask = Box::pin(clerk.file(ledger.note(0, 0)));
        assert!(poll_once(&mut ask).await.is_pending());
        let reply = clerk.file(ledger.note(0, 1)).enqueue().await.unwrap();
        let read = clerk.file(ledger.note(0, 2)).enqueue().await.unwrap();
        clerk.kill();
        within(clerk.join()).await;
        assert_eq!(reported(&letters).len(), 0, "they have been handed back");
        drop((ask, reply));
        let reasons = reported(&letters);
        assert!(
            matches!(
                reasons[..],
                [
                    UndeliveredReason::Ended(ExitReason::Killed),
                    UndeliveredReason::Ended(ExitReason::Killed)
                ]
            ),
            "{reasons:?}"
        );
        let error = within(read).await.unwrap_err();
        error.into_message::<ClerkFile>().unwrap().note.returned();
        let undelivered = greenroom::runtime::Handle::current().metrics().undelivered;
        assert_eq!(undelivered.ended, 2);
        let tally = ledger.settle();
        assert_eq!((tally.reported, tally.returned), (2, 1));
    });
}

#[test]
fn a_crash_makes_undelivered_what_was_told_and_loses_the_message_at_fault_alone() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
        let mut crash = Box::pin(clerk.crash(ledger.note(0, 0)));
        assert!(poll_once(&mut crash).await.is_pending());
        for index in 1..4 {
            clerk.file(ledger.note(0, index)).tell().await.unwrap();
        }
        gate.open();
        let error = within(crash).await.unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)), "{error:?}");
        within(clerk.join()).await;
        for reason in reported(&letters) {
            let UndeliveredReason::Ended(ExitReason::Panicked(crash)) = &reason else {
                panic!("{reason:?}")
            };
            assert!(crash.to_string().contains("crashed at 0"), "{crash}");
        }
        let tally = ledger.settle();
        assert_eq!((tally.reported, tally.lost), (3, 1));
    });
}

#[test]
fn what_was_told_is_undelivered_when_its_runtime_ends() {
    for flavor in Flavor::ALL {
        let (ledger, runtime) = (Ledger::default(), flavor.build());
        let note = ledger.note(BUSY, 0);
        let (clerk, _gate, letters) = runtime.block_on(heard_clerk(2, note));
        runtime
            .block_on(clerk.file(ledger.note(0, 0)).tell())
            .unwrap();
        drop(runtime);
        let reasons = reported(&letters);
        assert!(
            matches!(
                reasons[..],
                [UndeliveredReason::Ended(ExitReason::RuntimeGone)]
            ),
            "{reasons:?}"
        );
        assert_eq!(ledger.settle().reported, 1);
    }
}

#[test]
fn a_stop_leaves_nothing_undelivered() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
        for index in 0..4 {
            clerk.file(ledger.note(0, index)).tell().await.unwrap();
        }
        clerk.stop();
        let refused = clerk.file(ledger.note(1, 0)).tell().await.unwrap_err();
        assert!(matches!(
            refused.refusal(),
            Refusal::Ended(ExitReason::Stopped)
        ));
        refused.into_message().note.returned();
        gate.open();
        within(clerk.join()).await;
        assert_eq!(reported(&letters).len(), 0);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (5, 1));
    });
}

#[tokio::test]
async fn the_letters_of_one_actor_come_in_the_order_of_its_mailbox() {
    let ledger = Ledger::default();
    let (clerk, _gate, letters) = heard_clerk(64, ledger.note(BUSY, 0)).await;
    for index in 0..64 {
        clerk.file(ledger.note(0, index)).tell().await.unwrap();
    }
    clerk.kill();
    within(clerk.join()).await;
    let indexes = letters.try_iter().map(|letter| {
        let note = letter.downcast::<ClerkFile>().unwrap().note;
        let index = note.index;
        note.reported();
        index
    });
    assert!(indexes.eq(0..64));
    assert_eq!(ledger.settle().reported, 64);
}

#[tokio::test]
async fn a_reply_that_nobody_waits_for_is_counted_as_late_and_its_message_is_no_undelivered_one() {
    let (ledger, gate) = (Ledger::default(), Gate::shut());
    let clerk = clerk(4);
    let mut ask = Box::pin(clerk.hold(ledger.note(0, 0), gate.clone()));
    assert!(poll_once(&mut ask).await.is_pending());
    gate.reached().await;
    drop(ask);
    gate.open();
    within(clerk.ping()).await.unwrap();
    let metrics = greenroom::runtime::Handle::current().metrics();
    assert_eq!(metrics.late_replies, 1);
    assert_eq!(metrics.undelivered, Default::default());
    assert_eq!(ledger.settle().handled, 1);
}

#[tokio::test]
async fn a_hook_is_kept_no_longer_than_its_actors_cell() {
    let kept = std::sync::Arc::new(());
    let held = std::sync::Arc::clone(&kept);
    let clerk = Builder::new(crate::actor::clerk::Clerk)
        .on_undelivered(move |_| _ = &held)
        .spawn();
    within(clerk.shutdown()).await;
    drop(clerk);
    until(|| std::sync::Arc::strong_count(&kept) == 1).await;
}
