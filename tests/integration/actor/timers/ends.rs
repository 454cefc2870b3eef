//! Timers and the end of their actor.

use std::sync::Arc;

use greenroom::limits::TIMERS_MAX;
use greenroom::{Builder, ExitReason, UndeliveredReason, runtime};

use super::{Tick, Ticker, act, busy_ticker, live, millis, pass, tick, ticker};
use crate::actor::support::{Gate, until, within};

#[tokio::test(start_paused = true)]
async fn field_41_timers_do_not_keep_their_actor_and_go_with_it() {
    let (ticker, log) = ticker();
    let before = live();
    let gone = Arc::new(());
    let note = gone.clone();
    let set = act(move |ctx| {
        ctx.every(millis(5), || tick(1));
        let message = Tick {
            word: 2,
            gone: Some(note),
        };
        ctx.after(millis(3_600_000), message);
    });
    ticker.run(set).await.unwrap();
    let weak = ticker.downgrade();
    drop(ticker);
    assert!(matches!(weak.join().await, ExitReason::Dropped));
    assert_eq!(log.words(), [], "it ended at once");
    assert_eq!(Arc::strong_count(&gone), 1, "the message is gone");
    until(|| live() == before - 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_timer_takes_nothing_to_an_actor_that_was_told_to_stop() {
    let (ticker, log, gate) = busy_ticker(|ctx| {
        ctx.after(millis(0), tick(3));
    })
    .await;
    ticker
        .run(act(|ctx| drop(ctx.after(millis(5), tick(4)))))
        .tell()
        .await
        .unwrap();
    ticker.nap(20).tell().await.unwrap();
    ticker.stop();
    gate.open();
    within(ticker.join()).await;
    assert_eq!(log.words(), []);
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_was_queued_before_the_stop_is_handled() {
    let (ticker, log) = ticker();
    ticker
        .run(act(|ctx| drop(ctx.after(millis(5), tick(1)))))
        .await
        .unwrap();
    let gate = Gate::shut();
    ticker.hold(gate.clone(), act(|_| ())).tell().await.unwrap();
    gate.reached().await;
    pass(10).await;
    ticker.stop();
    gate.open();
    within(ticker.join()).await;
    assert_eq!(log.words(), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_is_queued_when_the_actor_is_killed_is_dropped_and_not_undelivered() {
    let (ticker, log) = ticker();
    let gone = Arc::new(());
    let message = Tick {
        word: 1,
        gone: Some(gone.clone()),
    };
    ticker
        .run(act(|ctx| drop(ctx.after(millis(5), message))))
        .await
        .unwrap();
    let gate = Gate::shut();
    ticker.hold(gate.clone(), act(|_| ())).tell().await.unwrap();
    gate.reached().await;
    pass(10).await;
    ticker.kill();
    within(ticker.join()).await;
    assert_eq!((log.words(), Arc::strong_count(&gone)), (vec![], 1));
    let undelivered = runtime::Handle::current().metrics().undelivered;
    assert_eq!(undelivered.ended, 0);
}

#[tokio::test(start_paused = true)]
async fn a_timer_of_an_actor_that_has_ended_is_not_set() {
    let (ticker, _log) = ticker();
    let (told, timer) = std::sync::mpsc::channel();
    let set = act(move |ctx| told.send(ctx.every(millis(5), || tick(1))).unwrap());
    ticker.run(set).await.unwrap();
    let timer = timer.recv().unwrap();
    assert!(timer.is_set());
    ticker.shutdown().await;
    assert!(!timer.is_set());
    assert!(!timer.cancel());
    assert!(!timer.keyed("late").is_set());
}

#[tokio::test(start_paused = true)]
async fn a_timer_beyond_the_bound_is_not_set_and_its_message_is_undelivered() {
    let (lost, letters) = std::sync::mpsc::channel();
    let log = super::Log::new();
    let ticker = Builder::new(Ticker { log: log.clone() })
        .on_undelivered(move |letter| lost.send(letter).unwrap())
        .spawn();
    let set = act(|ctx| {
        for _ in 0..TIMERS_MAX {
            assert!(ctx.after(millis(5), tick(1)).cancel(), "it leaves room");
            assert!(ctx.after(millis(5), tick(0)).is_set());
        }
        assert_eq!(ctx.timers().len(), TIMERS_MAX);
        assert!(!ctx.after(millis(5), tick(7)).is_set());
        assert!(!ctx.every(millis(5), || tick(8)).is_set());
    });
    ticker.run(set).await.unwrap();
    let letter = letters.try_recv().expect("the one beyond");
    assert!(matches!(letter.reason(), UndeliveredReason::Overflow));
    assert_eq!(letter.downcast::<Tick>().expect("a tick").word, 7);
    assert!(letters.try_recv().is_err());
    pass(20).await;
    assert_eq!(log.words().len(), TIMERS_MAX);
    let again = act(|ctx| assert!(ctx.after(millis(5), tick(9)).is_set()));
    ticker.run(again).await.unwrap();
}
