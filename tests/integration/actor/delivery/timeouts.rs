//! Limits: they run from the first poll, and say whether the message was accepted.

use std::time::Duration;

use greenroom::{AskError, Builder, Refusal, TimeoutState};
use tokio::time::{Instant, advance};

use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{BUSY, Gate, Ledger, assert_at_rest, poll_once, within};

const TEN_MS: Duration = Duration::from_millis(10);

#[tokio::test(start_paused = true)]
async fn a_tell_that_finds_no_slot_within_its_limit_hands_the_message_back() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let begin = Instant::now();
    let error = clerk
        .file(ledger.note(0, 1))
        .tell()
        .timeout(TEN_MS)
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_millis(), 10);
    assert!(matches!(error.refusal(), Refusal::Timeout(TEN_MS)));
    assert!(
        error.to_string().ends_with("no slot came free within 10ms"),
        "{error}"
    );
    error.into_message().note.returned();
    assert_eq!(clerk.waiting_senders(), 0);
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.returned), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_was_not_accepted_within_its_limit_hands_the_message_back() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let begin = Instant::now();
    let error = clerk
        .file(ledger.note(0, 1))
        .timeout(TEN_MS)
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_millis(), 10);
    let AskError::NotHandled(error) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(error.refusal(), Refusal::Timeout(TEN_MS)));
    error.into_message::<ClerkFile>().unwrap().note.returned();
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().returned, 1);
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_was_accepted_but_not_begun_in_time_is_not_handled() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(4, ledger.note(BUSY, 0)).await;
    let begin = Instant::now();
    let error = clerk
        .file(ledger.note(0, 0))
        .timeout(TEN_MS)
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_millis(), 10);
    let AskError::Timeout(timeout) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (timeout.limit(), timeout.actor().id()),
        (TEN_MS, clerk.id())
    );
    assert_eq!(timeout.state(), TimeoutState::Skipped);
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.discarded), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_longer_than_the_limit_goes_on_without_its_asker() {
    let (ledger, clerk, gate) = (Ledger::default(), clerk(4), Gate::shut());
    let error = clerk
        .hold(ledger.note(0, 0), gate.clone())
        .timeout(TEN_MS)
        .await
        .unwrap_err();
    assert!(matches!(error, AskError::Timeout(_)));
    gate.reached().await;
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 1);
}

#[tokio::test(start_paused = true)]
async fn a_limit_runs_from_the_first_poll() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let send = clerk.file(ledger.note(0, 1)).tell().timeout(TEN_MS);
    advance(Duration::from_secs(1)).await;
    let mut send = Box::pin(send);
    assert!(poll_once(&mut send).await.is_pending());
    advance(Duration::from_millis(9)).await;
    assert!(poll_once(&mut send).await.is_pending());
    gate.open();
    within(send).await.unwrap();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 3);
}

#[tokio::test(start_paused = true)]
async fn a_message_accepted_before_its_send_saw_the_limit_pass_counts_as_accepted() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let mut send = Box::pin(clerk.file(ledger.note(0, 1)).tell().timeout(TEN_MS));
    assert!(poll_once(&mut send).await.is_pending());
    gate.open();
    within(clerk.ping()).await.unwrap();
    advance(Duration::from_secs(1)).await;
    within(send).await.unwrap();
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 3);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_there_before_its_ask_saw_the_limit_pass_is_given() {
    let (ledger, clerk) = (Ledger::default(), clerk(1));
    let mut ask = Box::pin(clerk.defer(ledger.note(0, 7)).timeout(TEN_MS));
    assert!(poll_once(&mut ask).await.is_pending());
    within(clerk.ping()).await.unwrap();
    advance(Duration::from_secs(1)).await;
    assert_eq!(within(ask).await.unwrap(), 7);
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 1);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_nothing_is_enough_for_a_send_that_need_not_wait() {
    let (ledger, clerk) = (Ledger::default(), clerk(1));
    clerk
        .file(ledger.note(0, 0))
        .tell()
        .timeout(Duration::ZERO)
        .await
        .unwrap();
    within(clerk.ping()).await.unwrap();
    let (busy, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    busy.file(ledger.note(0, 1))
        .tell()
        .timeout(Duration::ZERO)
        .await
        .unwrap();
    let refused = busy
        .file(ledger.note(0, 2))
        .tell()
        .timeout(Duration::ZERO)
        .await;
    refused.unwrap_err().into_message().note.returned();
    gate.open();
    within(busy.ping()).await.unwrap();
    assert_at_rest(&busy);
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 3);
}

#[tokio::test(start_paused = true)]
async fn a_limit_too_long_for_any_clock_is_none() {
    let (ledger, clerk) = (Ledger::default(), clerk(1));
    assert_eq!(
        within(clerk.defer(ledger.note(0, 4)).timeout(Duration::MAX))
            .await
            .unwrap(),
        4
    );
    within(clerk.file(ledger.note(0, 5)).tell().timeout(Duration::MAX))
        .await
        .unwrap();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    ledger.settle();
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_asks_that_time_out_leave_nothing_behind() {
    let ledger = Ledger::default();
    let clerk = Builder::new(crate::actor::clerk::Clerk).mailbox(64).spawn();
    let gate = Gate::shut();
    clerk
        .hold(ledger.note(BUSY, 0), gate.clone())
        .tell()
        .await
        .unwrap();
    gate.reached().await;
    let mut accepted = 0;
    for round in 0..10_000_u32.div_ceil(64) {
        let asks = (0..64).map(|sender| clerk.file(ledger.note(sender, round)).timeout(TEN_MS));
        for result in within(futures::future::join_all(asks)).await {
            match result.unwrap_err() {
                AskError::Timeout(_) => accepted += 1,
                other => other.into_message::<ClerkFile>().unwrap().note.returned(),
            }
        }
        assert_eq!(clerk.waiting_senders(), 0);
    }
    assert_eq!(accepted, 64);
    gate.open();
    within(clerk.ping()).await.unwrap();
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.discarded), (1, 64));
    assert_eq!(tally.returned, 156 * 64);
}
