//! What the error of a limit says of the message: not accepted, skipped, queued or running.

use std::time::Duration;

use greenroom::{AskError, JoinHandle, Refusal, TimeoutState, UndeliveredReason};
use tokio::time::Instant;

use super::hooks::heard_clerk;
use super::skip::busy_desk;
use super::undelivered::reported;
use crate::actor::clerk::{ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Gate, Ledger, assert_at_rest, on_each_runtime, poll_once, within,
};

const TEN_MS: Duration = Duration::from_millis(10);

fn state<T, E>(result: Result<T, AskError<E>>) -> TimeoutState {
    match result {
        Err(AskError::Timeout(timeout)) => timeout.state(),
        Err(error) => panic!("{}", error.actor().expect("not the handler's own")),
        Ok(_) => panic!("answered"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_whose_limit_passes_while_it_is_queued_is_skipped_and_says_so() {
    let ledger = Ledger::default();
    let (clerk, gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
    let ask = clerk.file(ledger.note(0, 0)).timeout(TEN_MS);
    let error = ask.await.unwrap_err();
    let text = "did not reply within 10ms: the message was queued, and will not be handled";
    assert!(error.to_string().ends_with(text), "{error}");
    assert_eq!(state::<(), _>(Err(error)), TimeoutState::Skipped);
    gate.open();
    within(clerk.ping()).await.unwrap();
    let reasons = reported(&letters);
    assert!(
        matches!(reasons[..], [UndeliveredReason::Expired]),
        "{reasons:?}"
    );
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().reported, 1);
    let metrics = greenroom::runtime::Handle::current().metrics();
    assert_eq!((metrics.undelivered.expired, metrics.late_replies), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_ask_whose_limit_passes_while_its_handler_runs_says_so() {
    for is_busy in [false, true] {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let (clerk, first, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
        let held = clerk.hold(ledger.note(0, 0), gate.clone()).timeout(TEN_MS);
        let mut held = Box::pin(held);
        if is_busy {
            // It is queued behind what holds the clerk up, and begins before its limit passes.
            assert!(poll_once(&mut held).await.is_pending());
        }
        first.open();
        if !is_busy {
            within(clerk.ping()).await.unwrap();
        }
        let timed_out = within(held).await;
        assert_eq!(state(timed_out), TimeoutState::Running);
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_eq!(reported(&letters).len(), 0);
        assert_eq!(ledger.settle().handled, 2);
        assert_at_rest(&clerk);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_of_a_detached_message_says_that_it_will_be_handled() {
    let ledger = Ledger::default();
    let (desk, gate) = busy_desk().await;
    let ask = desk.book(ledger.note(0, 0)).timeout(TEN_MS);
    assert_eq!(state(ask.await), TimeoutState::Queued);
    gate.open();
    within(desk.file(ledger.note(0, 1))).await.unwrap();
    assert_eq!(ledger.settle().handled, 2);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_waited_for_in_a_second_step_says_the_same() {
    let (ledger, gate) = (Ledger::default(), Gate::shut());
    let (clerk, first, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
    let skipped = clerk.file(ledger.note(0, 0)).enqueue().await.unwrap();
    assert_eq!(state(skipped.timeout(TEN_MS).await), TimeoutState::Skipped);
    let hold = clerk.hold(ledger.note(0, 1), gate.clone());
    let runs = hold.enqueue().await.unwrap();
    first.open();
    gate.reached().await;
    assert_eq!(state(runs.timeout(TEN_MS).await), TimeoutState::Running);
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_eq!(reported(&letters).len(), 1);
    let (desk, gate) = busy_desk().await;
    let queued = desk.book(ledger.note(0, 2)).enqueue().await.unwrap();
    assert_eq!(state(queued.timeout(TEN_MS).await), TimeoutState::Queued);
    gate.open();
    within(desk.shutdown()).await;
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.reported), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_deadline_has_passed_when_its_turn_comes_goes_back_to_an_asker_that_waits()
{
    let ledger = Ledger::default();
    let (clerk, gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
    let deadline = Instant::now() + TEN_MS;
    let mut ask = Box::pin(clerk.file(ledger.note(0, 0)).deadline(deadline));
    assert!(poll_once(&mut ask).await.is_pending());
    tokio::time::advance(TEN_MS).await;
    gate.open();
    within(clerk.ping()).await.unwrap();
    let error = within(ask).await.unwrap_err();
    assert!(
        error.to_string().ends_with("its deadline had passed"),
        "{error}"
    );
    error.into_message::<ClerkFile>().unwrap().note.returned();
    assert_eq!(reported(&letters).len(), 0);
    assert_eq!(ledger.settle().returned, 1);
}

/// Asks with limits around the time that it takes, and files by what the errors say.
fn ask_in_a_hurry(sender: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<[usize; 3]> {
    greenroom::spawn(async move {
        let mut states = [0; 3];
        for index in 0..2000 {
            let note = ledger.note(sender, index);
            let limit = Duration::from_micros(u64::from(index % 97));
            match clerk.file(note).timeout(limit).await {
                Ok(_) => {}
                Err(AskError::Timeout(timeout)) => match timeout.state() {
                    TimeoutState::Skipped => states[0] += 1,
                    TimeoutState::Running => states[1] += 1,
                    other => panic!("{other:?}"),
                },
                Err(error) => {
                    states[2] += 1;
                    let file = error.into_message::<ClerkFile>().expect("not handled");
                    file.note.returned();
                }
            }
        }
        states
    })
}

#[test]
fn what_is_said_to_be_skipped_is_never_handled_and_what_is_said_to_run_always_was() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let senders = 0..8;
        let askers: Vec<_> = senders
            .map(|sender| ask_in_a_hurry(sender, clerk.clone(), ledger.clone()))
            .collect();
        let mut states = [0; 3];
        for asker in askers {
            for (sum, count) in states.iter_mut().zip(within(asker).await.unwrap()) {
                *sum += count;
            }
        }
        within(clerk.ping()).await.unwrap();
        let tally = ledger.settle();
        assert_eq!(tally.discarded, states[0], "{tally:?} {states:?}");
        assert_eq!(tally.returned, states[2], "{tally:?} {states:?}");
        assert_at_rest(&clerk);
    });
}

#[tokio::test(start_paused = true)]
async fn an_ask_whose_deadline_had_passed_before_is_not_sent_inline_or_queued() {
    let ledger = Ledger::default();
    let past = tokio::time::Instant::now();
    tokio::time::advance(Duration::from_secs(1)).await;
    let (free, (busy, gate)) = (clerk(1), busy_clerk(1, ledger.note(BUSY, 0)).await);
    for (index, clerk) in [free, busy.clone()].into_iter().enumerate() {
        let asked = clerk
            .file(ledger.note(index as u32, 0))
            .deadline(past)
            .await;
        let Err(AskError::NotHandled(error)) = asked else {
            panic!("it is too late")
        };
        assert!(matches!(error.refusal(), Refusal::Expired), "{error}");
        error.into_message::<ClerkFile>().unwrap().note.returned();
    }
    gate.open();
    within(busy.ping()).await.unwrap();
    assert_eq!(ledger.settle().returned, 2);
}
