//! What was not accepted comes back, with the reason.

use greenroom::{AskError, ExitReason, Refusal, TellError};

use crate::actor::clerk::{ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{BUSY, LIMIT, Ledger, Note, assert_at_rest, on_each_seat, within};

/// The note that a refused tell hands back, and why it was refused.
fn told(result: Result<(), TellError<ClerkFile>>) -> (Note, Refusal) {
    let error = result.expect_err("refused");
    let refusal = error.refusal().clone();
    (error.into_message().note, refusal)
}

fn asked(result: Result<u32, AskError>) -> (Note, Refusal) {
    match result.expect_err("refused") {
        AskError::NotHandled(error) => {
            let refusal = error.refusal().clone();
            (
                error.into_message::<ClerkFile>().expect("its message").note,
                refusal,
            )
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_full_mailbox_hands_the_message_back_to_who_will_not_wait() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        for index in 0..2 {
            assert_eq!(clerk.free_slots(), 2 - index);
            clerk.file(ledger.note(0, index as u32)).try_tell().unwrap();
        }
        assert_eq!(clerk.free_slots(), 0);
        let message = ClerkFile {
            note: ledger.note(0, 2),
        };
        let refused = [
            told(clerk.try_tell(message)),
            told(clerk.file(ledger.note(0, 3)).try_tell()),
            told(clerk.recipient().try_tell(ClerkFile {
                note: ledger.note(0, 4),
            })),
        ];
        for (index, (note, refusal)) in (2..).zip(refused) {
            assert!(matches!(refusal, Refusal::Full));
            assert_eq!(note.index, index);
            note.returned();
        }
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (3, 3));
    });
}

async fn refused_by_all_ways(clerk: &ClerkHandle, ledger: &Ledger) -> Vec<(Note, Refusal)> {
    let next = || ledger.note(0, 0);
    vec![
        told(clerk.try_tell(ClerkFile { note: next() })),
        told(clerk.tell(ClerkFile { note: next() }).await),
        told(clerk.file(next()).tell().await),
        told(clerk.file(next()).tell().timeout(LIMIT).await),
        told(clerk.recipient().tell(ClerkFile { note: next() }).await),
        told(clerk.recipient().try_tell(ClerkFile { note: next() })),
        asked(clerk.file(next()).await),
        asked(clerk.ask(ClerkFile { note: next() }).await),
        asked(clerk.file(next()).timeout(LIMIT).await),
        asked(clerk.file(next()).into_owned().await),
    ]
}

fn check_refused(refused: Vec<(Note, Refusal)>, is_reason: fn(&ExitReason) -> bool) {
    for (note, refusal) in refused {
        assert!(
            matches!(&refusal, Refusal::Ended(reason) if is_reason(reason)),
            "{refusal:?}"
        );
        note.returned();
    }
}

#[test]
fn an_actor_that_is_stopping_or_has_ended_hands_every_message_back() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(4, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        clerk.stop();
        let is_stopped = |reason: &ExitReason| matches!(reason, ExitReason::Stopped);
        check_refused(refused_by_all_ways(&clerk, &ledger).await, is_stopped);
        gate.open();
        within(clerk.join()).await;
        check_refused(refused_by_all_ways(&clerk, &ledger).await, is_stopped);
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (2, 20));
    });
}

#[test]
fn a_killed_actor_hands_every_message_back_and_says_so() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        clerk.kill();
        within(clerk.join()).await;
        let is_killed = |reason: &ExitReason| matches!(reason, ExitReason::Killed);
        check_refused(refused_by_all_ways(&clerk, &ledger).await, is_killed);
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().returned, 10);
    });
}

#[test]
fn an_error_after_a_crash_tells_where_it_was_and_what_it_said() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        let error = within(clerk.crash(ledger.note(0, 5))).await.unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)));
        let reason = within(clerk.join()).await.to_string();
        assert!(
            reason.starts_with("it panicked while handling "),
            "{reason}"
        );
        assert!(reason.ends_with("ClerkCrash: crashed at 5"), "{reason}");
        assert!(error.to_string().ends_with(&reason), "{error}");
        let is_crash = |reason: &ExitReason| matches!(reason, ExitReason::Panicked(_));
        check_refused(refused_by_all_ways(&clerk, &ledger).await, is_crash);
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.lost, tally.returned), (1, 10));
    });
}

#[test]
fn an_error_hands_back_only_the_type_that_was_sent() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        clerk.stop();
        within(clerk.join()).await;
        let error = clerk.file(ledger.note(0, 0)).await.unwrap_err();
        let error = error.into_message::<u8>().unwrap_err();
        error.into_message::<ClerkFile>().unwrap().note.returned();
        clerk.file(ledger.note(0, 1)).into_message().note.returned();
        let error: greenroom::Error = clerk.ping().await.unwrap_err().into();
        assert!(error.to_string().ends_with("it was stopped"), "{error}");
        assert_eq!(ledger.settle().returned, 2);
    });
}
