//! Timers that repeat, and the ticks that they miss.

use greenroom::{Context, During, ExitReason};
use tokio::time::MissedTickBehavior;

use super::{Ticker, act, millis, pass, tick, ticker};

#[tokio::test(start_paused = true)]
async fn ticks_come_after_each_period_until_they_are_cancelled() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let mut count = 0;
        let count = move || {
            count += 1;
            tick(count)
        };
        ctx.every(millis(10), count).keyed("ticks");
    });
    ticker.run(set).await.unwrap();
    pass(35).await;
    assert_eq!(log.lines(), [(1, 10), (2, 20), (3, 30)]);
    ticker
        .run(act(|ctx| assert!(ctx.timers().cancel("ticks"))))
        .await
        .unwrap();
    pass(50).await;
    assert_eq!(log.words().len(), 3);
}

/// When ticks of a period of 10 ms are handled whose actor is busy from 15 to 48 ms.
async fn ticks_around_a_nap(missed: Option<MissedTickBehavior>) -> Vec<u64> {
    let (ticker, log) = ticker();
    let set = move |ctx: &mut Context<Ticker>| {
        let timer = ctx.every(millis(10), || tick(0));
        if let Some(missed) = missed {
            timer.missed_ticks(missed);
        }
    };
    ticker.run(act(set)).await.unwrap();
    pass(15).await;
    ticker.nap(33).tell().await.unwrap();
    pass(60).await;
    log.lines().iter().map(|line| line.1).collect()
}

#[tokio::test(start_paused = true)]
async fn by_default_one_tick_stands_for_all_that_came_while_it_was_queued() {
    let at = ticks_around_a_nap(None).await;
    assert_eq!(at, [10, 48, 50, 60, 70]);
    assert_eq!(ticks_around_a_nap(Some(MissedTickBehavior::Skip)).await, at);
}

#[tokio::test(start_paused = true)]
async fn in_a_burst_all_missed_ticks_are_caught_up_with() {
    let at = ticks_around_a_nap(Some(MissedTickBehavior::Burst)).await;
    assert_eq!(at, [10, 48, 48, 48, 50, 60, 70]);
}

#[tokio::test(start_paused = true)]
async fn delayed_ticks_keep_their_period_from_when_the_late_one_was_handled() {
    let at = ticks_around_a_nap(Some(MissedTickBehavior::Delay)).await;
    assert_eq!(at, [10, 48, 58, 68]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_cancelled_owes_no_ticks() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.every(millis(10), || tick(0))
            .missed_ticks(MissedTickBehavior::Burst)
            .keyed("ticks");
    });
    ticker.run(set).await.unwrap();
    ticker.nap(55).tell().await.unwrap();
    pass(35).await;
    ticker
        .run(act(|ctx| assert!(ctx.timers().cancel("ticks"))))
        .tell()
        .await
        .unwrap();
    pass(100).await;
    assert_eq!(log.lines(), [(0, 55)], "the one that was queued first");
}

#[tokio::test(start_paused = true)]
async fn a_period_of_nothing_is_a_millisecond() {
    let (ticker, log) = ticker();
    ticker
        .run(act(|ctx| drop(ctx.every(millis(0), || tick(0)))))
        .await
        .unwrap();
    pass(6).await;
    let at: Vec<_> = log.lines().iter().map(|line| line.1).collect();
    assert_eq!(at[..5], [1, 2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn field_51_a_panic_in_what_makes_a_tick_is_one_of_its_handler() {
    let (ticker, _log) = ticker();
    let make = || -> super::Tick { panic!("no tick") };
    ticker
        .run(act(move |ctx| drop(ctx.every(millis(10), make))))
        .await
        .unwrap();
    let ExitReason::Panicked(crash) = ticker.join().await else {
        panic!("it ends otherwise");
    };
    assert_eq!(crash.text(), "no tick");
    let During::Message(message) = crash.during() else {
        panic!("it was doing something else");
    };
    assert!(message.ends_with("Tick"), "{message}");
}
