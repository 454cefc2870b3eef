//! Timers that ring once.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{act, busy_ticker, live, millis, pass, tick, ticker};
use crate::actor::support::{Gate, within};

#[tokio::test(start_paused = true)]
async fn a_message_comes_after_its_delay_and_once() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.after(millis(30), tick(3));
        ctx.after(millis(10), tick(1));
        ctx.after(millis(20), tick(2));
    });
    ticker.run(set).await.unwrap();
    pass(9).await;
    assert_eq!(log.lines(), []);
    pass(100).await;
    assert_eq!(log.lines(), [(1, 10), (2, 20), (3, 30)]);
}

#[tokio::test(start_paused = true)]
async fn a_message_comes_at_its_instant_and_at_once_if_that_has_passed() {
    let (ticker, log) = ticker();
    let begin = Instant::now();
    pass(50).await;
    let set = act(move |ctx| {
        ctx.at(begin + millis(70), tick(2));
        ctx.at(begin + millis(20), tick(1));
    });
    ticker.run(set).await.unwrap();
    pass(100).await;
    assert_eq!(log.lines(), [(1, 50), (2, 70)]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_says_whether_it_is_still_to_be_delivered() {
    let (ticker, log) = ticker();
    let (told, timer) = std::sync::mpsc::channel();
    let set = act(move |ctx| {
        assert!(ctx.timers().is_empty());
        told.send(ctx.after(millis(10), tick(1))).unwrap();
        assert_eq!(ctx.timers().len(), 1);
    });
    ticker.run(set).await.unwrap();
    let timer = timer.recv().unwrap();
    assert!(timer.is_set());
    pass(20).await;
    assert_eq!(log.words(), [1]);
    assert!(!timer.is_set());
    assert!(!timer.cancel(), "there was nothing left to cancel");
    let none = act(|ctx| assert!(ctx.timers().is_empty()));
    ticker.run(none).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_cancelled_is_not_delivered() {
    let (ticker, log) = ticker();
    let (told, timer) = std::sync::mpsc::channel();
    let set = act(move |ctx| {
        told.send(ctx.after(millis(10), tick(1))).unwrap();
        ctx.after(millis(10), tick(2));
    });
    ticker.run(set).await.unwrap();
    let timer = timer.recv().unwrap();
    pass(9).await;
    assert!(timer.clone().cancel());
    pass(20).await;
    assert_eq!(log.words(), [2]);
    assert!(!timer.is_set());
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_cancelled_is_not_delivered_though_its_notice_was_queued() {
    let (told, timer) = std::sync::mpsc::channel::<greenroom::Timer>();
    let (ticker, log) = ticker();
    let set = act(move |ctx| {
        told.send(ctx.after(millis(10), tick(1))).unwrap();
        ctx.after(millis(11), tick(2));
    });
    ticker.run(set).await.unwrap();
    let gate = Gate::shut();
    let cancel = act(move |_| assert!(timer.recv().unwrap().cancel()));
    ticker.hold(gate.clone(), cancel).tell().await.unwrap();
    gate.reached().await;
    pass(50).await; // both are queued behind what the ticker is busy with
    gate.open();
    pass(1).await;
    assert_eq!(log.words(), [2]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_message_is_dropped_at_once() {
    let (ticker, _log) = ticker();
    let gone = Arc::new(());
    let mut message = tick(1);
    message.gone = Some(gone.clone());
    let set = act(|ctx| {
        let timer = ctx.after(millis(10), message);
        timer.cancel();
    });
    ticker.run(set).await.unwrap();
    assert_eq!(Arc::strong_count(&gone), 1);
}

#[tokio::test(start_paused = true)]
async fn no_delay_is_too_long() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.after(Duration::MAX, tick(1));
        ctx.every(Duration::MAX, || tick(2));
        ctx.after(millis(5), tick(3));
    });
    ticker.run(set).await.unwrap();
    pass(1_000_000).await;
    assert_eq!(log.lines(), [(3, 5)]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_set_while_the_driver_waits_for_a_later_one_rings_in_time() {
    let (ticker, log) = ticker();
    ticker
        .run(act(|ctx| drop(ctx.after(millis(1000), tick(2)))))
        .await
        .unwrap();
    pass(100).await;
    ticker
        .run(act(|ctx| drop(ctx.after(millis(10), tick(1)))))
        .await
        .unwrap();
    pass(2000).await;
    assert_eq!(log.lines(), [(1, 110), (2, 1000)]);
}

#[tokio::test(start_paused = true)]
async fn an_actor_has_one_task_for_all_its_timers() {
    let (ticker, log) = ticker();
    ticker.run(act(|_| ())).await.unwrap();
    let before = live();
    let set = act(|ctx| {
        for n in 0..1000 {
            ctx.after(millis(u64::from(n)), tick(n));
        }
    });
    ticker.run(set).await.unwrap();
    assert_eq!(live(), before + 1);
    pass(2000).await;
    assert_eq!(log.words(), (0..1000).collect::<Vec<_>>());
    assert_eq!(live(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_tick_stands_behind_what_was_accepted_before_and_needs_no_slot() {
    let (ticker, log, gate) = busy_ticker(|_| ()).await;
    let other = log.clone();
    let set = act(move |ctx| {
        other.write(1);
        ctx.after(millis(0), tick(3));
    });
    let full = log.clone();
    ticker.run(set).tell().await.unwrap();
    ticker
        .run(act(move |_| full.write(2)))
        .tell()
        .await
        .unwrap();
    assert_eq!(ticker.free_slots(), 0);
    gate.open();
    within(ticker.run(act(|_| ()))).await.unwrap();
    pass(1).await;
    assert_eq!(log.words(), [1, 2, 3]);
}
