//! Idle timeouts.

use greenroom::limits::IDLE_LOOKS;

use super::{Log, TickerHandle, act, millis, pass, tick, ticker};
use crate::actor::support::poll_once;

/// The timeout of these tests, in milliseconds; the looks come at a tenth of its multiples.
const LIMIT: u64 = 80;
const LOOK: u64 = LIMIT / IDLE_LOOKS as u64;

async fn idle_ticker() -> (TickerHandle, Log) {
    let (ticker, log) = ticker();
    let set = act(|ctx| drop(ctx.idle_timeout(millis(LIMIT), || tick(1))));
    ticker.run(set).await.unwrap();
    (ticker, log)
}

/// The first of the log came so long after the last message, and no more than a look later.
#[track_caller]
fn assert_idle_since(log: &Log, last: u64) {
    let at = log.lines().first().expect("it was idle").1;
    let expected = last + LIMIT..=last + LIMIT + LOOK;
    assert!(expected.contains(&at), "{at} is not in {expected:?}");
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_handles_nothing_is_told_so_after_its_limit_and_again() {
    let (_ticker, log) = idle_ticker().await;
    pass(LIMIT - 1).await;
    assert_eq!(log.lines(), []);
    pass(3 * (LIMIT + LOOK)).await;
    assert_idle_since(&log, 0);
    assert_eq!(log.words(), [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn messages_put_the_timeout_off_however_they_come() {
    let (ticker, log) = idle_ticker().await;
    for round in 0..4 {
        pass(LIMIT - 10).await;
        match round {
            0 => ticker.run(act(|_| ())).await.unwrap(),
            1 => ticker.run(act(|_| ())).tell().await.unwrap(),
            2 => ticker
                .run(act(|_| ()))
                .enqueue()
                .await
                .unwrap()
                .await
                .unwrap(),
            _ => ticker.run(act(|_| ())).await.unwrap(),
        }
    }
    assert_eq!(log.lines(), []);
    pass(LIMIT + LOOK + 1).await;
    assert_idle_since(&log, 4 * (LIMIT - 10));
}

#[tokio::test(start_paused = true)]
async fn an_actor_with_an_idle_timeout_is_still_asked_inline_and_that_puts_it_off() {
    let (ticker, log) = idle_ticker().await;
    for _ in 0..3 {
        pass(LIMIT - 10).await;
        let mut ask = Box::pin(ticker.ping());
        assert!(poll_once(&mut ask).await.is_ready());
    }
    assert_eq!(log.lines(), []);
    pass(LIMIT + LOOK + 1).await;
    assert_idle_since(&log, 3 * (LIMIT - 10));
}

#[tokio::test(start_paused = true)]
async fn ticks_do_not_put_the_timeout_off() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.every(millis(LOOK), || tick(0));
        ctx.idle_timeout(millis(LIMIT), || tick(1));
    });
    ticker.run(set).await.unwrap();
    pass(LIMIT + 2 * LOOK).await;
    assert!(log.words().contains(&1), "{:?}", log.lines());
}

#[tokio::test(start_paused = true)]
async fn a_handler_at_an_await_is_no_idleness() {
    let (ticker, log) = idle_ticker().await;
    pass(3).await;
    ticker.nap(10 * LIMIT).await.unwrap();
    assert_eq!(log.lines(), []);
    pass(LIMIT + LOOK + 1).await;
    assert_idle_since(&log, 3 + 10 * LIMIT);
}

#[tokio::test(start_paused = true)]
async fn an_idle_timeout_takes_the_place_of_the_one_before_and_can_be_cancelled() {
    let (ticker, log) = idle_ticker().await;
    let (told, timer) = std::sync::mpsc::channel();
    let set = act(move |ctx| {
        let timer = ctx.idle_timeout(millis(3 * LIMIT), || tick(2));
        told.send(timer).unwrap();
        assert_eq!(ctx.timers().len(), 1);
    });
    ticker.run(set).await.unwrap();
    pass(4 * LIMIT).await;
    assert_eq!(log.words(), [2]);
    assert!(timer.recv().unwrap().cancel());
    pass(10 * LIMIT).await;
    assert_eq!(log.words(), [2]);
}
