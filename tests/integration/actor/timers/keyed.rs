//! Timers under keys.

use super::{act, busy_ticker, millis, pass, tick, ticker};
use crate::actor::support::Gate;

#[tokio::test(start_paused = true)]
async fn a_timer_under_a_key_takes_the_place_of_the_one_before() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let first = ctx.after(millis(10), tick(1)).keyed("retry");
        let other = ctx.after(millis(10), tick(2)).keyed("other");
        let second = ctx.after(millis(20), tick(3)).keyed("retry");
        assert_eq!(
            (first.is_set(), other.is_set(), second.is_set()),
            (false, true, true)
        );
        assert_eq!(ctx.timers().len(), 2);
    });
    ticker.run(set).await.unwrap();
    pass(50).await;
    assert_eq!(log.lines(), [(2, 10), (3, 20)]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_is_replaced_is_not_delivered_though_its_notice_was_queued() {
    let (ticker, log) = ticker();
    let set = act(|ctx| drop(ctx.after(millis(10), tick(1)).keyed("retry")));
    ticker.run(set).await.unwrap();
    let gate = Gate::shut();
    let replace = act(|ctx| drop(ctx.after(millis(10), tick(2)).keyed("retry")));
    ticker.hold(gate.clone(), replace).tell().await.unwrap();
    gate.reached().await;
    pass(30).await;
    gate.open();
    pass(50).await;
    assert_eq!(log.lines(), [(2, 40)]);
}

#[tokio::test(start_paused = true)]
async fn a_key_is_free_again_when_its_timer_was_delivered() {
    let (ticker, log) = ticker();
    let set = act(|ctx| drop(ctx.after(millis(10), tick(1)).keyed(7)));
    ticker.run(set).await.unwrap();
    pass(20).await;
    let again = act(|ctx| {
        assert!(ctx.timers().get(7).is_none());
        assert!(!ctx.timers().cancel(7));
        ctx.after(millis(10), tick(2)).keyed(7);
        assert!(ctx.timers().get(7).is_some_and(|timer| timer.is_set()));
    });
    ticker.run(again).await.unwrap();
    pass(20).await;
    assert_eq!(log.words(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn timers_are_cancelled_by_their_keys() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.after(millis(10), tick(1)).keyed("a");
        ctx.after(millis(10), tick(2)).keyed(("b", 2));
        ctx.every(millis(10), || tick(3)).keyed("c");
        assert!(ctx.timers().cancel(String::from("a")), "it hashes the same");
        assert!(!ctx.timers().cancel("a"));
        assert!(ctx.timers().cancel("c"));
    });
    ticker.run(set).await.unwrap();
    pass(50).await;
    assert_eq!(log.words(), [2]);
}

#[tokio::test(start_paused = true)]
async fn a_timer_moves_from_key_to_key() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let timer = ctx.after(millis(10), tick(1)).keyed("a").keyed("b");
        assert!(ctx.timers().get("a").is_none());
        ctx.after(millis(10), tick(2)).keyed("a");
        assert!(timer.is_set());
        assert!(timer.keyed("b").is_set(), "it does not replace itself");
    });
    ticker.run(set).await.unwrap();
    pass(50).await;
    assert_eq!(log.words(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn all_timers_are_cleared_at_once() {
    let (ticker, log, gate) = busy_ticker(|ctx| ctx.timers().clear()).await;
    let early = log.clone();
    let set = act(move |ctx| {
        early.write(0);
        ctx.after(millis(10), tick(1));
        ctx.every(millis(10), || tick(2)).keyed("a");
        ctx.timers().clear();
        assert!(ctx.timers().is_empty());
        ctx.after(millis(20), tick(3)).keyed("a");
    });
    ticker.run(set).tell().await.unwrap();
    gate.open();
    pass(50).await;
    assert_eq!(log.words(), [0, 3]);
}
