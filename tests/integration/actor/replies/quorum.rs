//! As many replies as are needed, of many asks.

use std::task::Poll;

use greenroom::{AskError, actor, first_of, quorum};

use super::{DeskHandle, desk};
use crate::actor::support::{Gate, Ledger, assert_at_rest, on_each_runtime, poll_once, within};

/// Desks, the first so many of which are busy until the gate is opened.
async fn desks(busy: u32, all: u32, ledger: &Ledger) -> (Vec<DeskHandle>, Gate) {
    let (desks, gate): (Vec<_>, _) = ((0..all).map(desk).collect(), Gate::shut());
    for (sender, desk) in (0..busy).zip(&desks) {
        let hold = desk.hold(ledger.note(sender, 0), gate.clone());
        within(hold.tell()).await.unwrap();
        gate.reached().await;
    }
    (desks, gate)
}

#[test]
fn it_is_reached_when_as_many_replies_came_as_are_needed() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (desks, gate) = desks(2, 5, &ledger).await;
        let replies = quorum(3, desks.iter().map(|desk| desk.number()));
        let mut replies = within(replies).await.unwrap();
        replies.sort_unstable();
        assert_eq!(replies, [(2, 2), (3, 3), (4, 4)]);
        let mut four = Box::pin(quorum(4, desks.iter().map(|desk| desk.number())));
        assert!(
            poll_once(&mut four).await.is_pending(),
            "two of five are busy"
        );
        gate.open();
        assert_eq!(within(four).await.unwrap().len(), 4);
        // The fifth has let go of what it was busy with when it answers the next.
        within(quorum(5, desks.iter().map(|desk| desk.number())))
            .await
            .unwrap();
        ledger.settle();
    });
}

#[test]
fn it_fails_as_soon_as_too_few_can_come() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (desks, gate) = desks(2, 5, &ledger).await;
        desks[2].stop();
        desks[3].stop();
        let error = within(quorum(4, desks.iter().map(|desk| desk.number()))).await;
        let error = error.unwrap_err();
        assert_eq!(error.needed, 4);
        let places: Vec<_> = error.errors.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [2, 3]);
        assert!(error.replies.len() <= 1, "two are still busy");
        gate.open();
        ledger.tally();
    });
}

#[test]
fn an_error_of_the_handlers_own_is_no_reply() {
    on_each_runtime(|| async {
        let desks = [3, 4].map(desk);
        let error = within(quorum(1, desks.iter().map(|desk| desk.fail()))).await;
        let error = error.unwrap_err();
        assert_eq!(
            error.to_string(),
            "0 of 1 needed replies came, and 2 asks failed"
        );
        for (place, error) in error.errors {
            let AskError::Handler(text) = error else {
                panic!("{error:?}")
            };
            assert_eq!(text, format!("desk {}", place + 3));
        }
    });
}

#[test]
fn what_needs_no_reply_or_can_get_none_sends_nothing() {
    on_each_runtime(|| async {
        let (ledger, desk) = (Ledger::default(), desk(1));
        let two = || [0, 1].map(|index| desk.file(ledger.note(index, 0)));
        let mut none = Box::pin(quorum(0, two()));
        assert!(
            matches!(poll_once(&mut none).await, Poll::Ready(Ok(replies))
            if replies.is_empty())
        );
        let mut three = Box::pin(quorum(3, two()));
        assert!(
            matches!(poll_once(&mut three).await, Poll::Ready(Err(error))
            if error.errors.is_empty())
        );
        let none: [DeskHandle; 0] = [];
        let first = first_of(none.iter().map(|desk| desk.number()));
        assert!(matches!(
            poll_once(&mut Box::pin(first)).await,
            Poll::Ready(Err(_))
        ));
        within(desk.number()).await.unwrap();
        assert!(ledger.journal().is_empty());
    });
}

#[test]
fn the_first_reply_is_given_and_the_other_asks_are_dropped() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (desks, gate) = desks(3, 4, &ledger).await;
        for desk in &desks[..3] {
            // So that the next ask waits for a slot.
            let fill = [desk.number().tell().await, desk.number().tell().await];
            assert!(fill.iter().all(Result::is_ok));
        }
        let notes: Vec<_> = (10..14).map(|sender| ledger.note(sender, 0)).collect();
        let first = first_of(desks.iter().zip(notes).map(|(desk, note)| desk.file(note)));
        assert_eq!(within(first).await.unwrap(), (3, 3));
        assert!(desks.iter().all(|desk| desk.waiting_senders() == 0));
        gate.open();
        for desk in &desks {
            within(desk.number()).await.unwrap();
            assert_at_rest(desk);
        }
        let journal = ledger.journal();
        assert!((10..13).all(|sender| !journal.contains(&(sender, 0))));
    });
}

#[test]
fn when_all_fail_the_first_is_none() {
    on_each_runtime(|| async {
        let desks = [1, 2, 3].map(desk);
        desks.iter().for_each(|desk| desk.stop());
        let error = within(first_of(desks.iter().map(|desk| desk.number()))).await;
        let error = error.unwrap_err();
        assert_eq!((error.needed, error.errors.len()), (1, 3));
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert!(source.is_some_and(|text| text.contains("did not handle")));
        let general = greenroom::Error::from(error);
        assert!(general.to_string().contains("3 asks failed"), "{general}");
    });
}

#[actor]
struct Replica {
    writes: u32,
}

#[actor]
impl Replica {
    #[message(detached)]
    fn write(&mut self) -> u32 {
        self.writes += 1;
        self.writes
    }
}

#[test]
fn all_are_asked_also_when_the_outcome_is_known_before_the_last() {
    on_each_runtime(|| async {
        let replicas = [0; 3].map(|writes| Replica { writes }.spawn());
        replicas[0].stop();
        replicas[1].stop();
        let lost = within(quorum(2, replicas.iter().map(|replica| replica.write()))).await;
        assert_eq!(lost.unwrap_err().errors.len(), 2);
        assert_eq!(within(replicas[2].write()).await.unwrap(), 2);
    });
}
