//! What belongs to an incarnation, and what comes after it.

use std::future::pending;
use std::sync::Arc;

use futures::stream;
use greenroom::{Builder, Context, Handle, OnPanic, ResumeAfterPanic, actor};

use super::{Log, Tick, Ticker, TickerHandle, act, live, millis, pass, tick};
use crate::actor::support::{Gate, until};

fn restartable() -> (TickerHandle, Log) {
    let log = Log::new();
    let book = log.clone();
    let ticker = Builder::restartable(move || Ticker { log: book.clone() });
    (ticker.spawn(), log)
}

#[tokio::test(start_paused = true)]
async fn timers_tasks_and_streams_end_with_their_incarnation() {
    let (ticker, log) = restartable();
    ticker.ping().await.unwrap();
    let before = live();
    let gone = Arc::new(());
    let note = gone.clone();
    let set = act(move |ctx| {
        let message = Tick {
            word: 1,
            gone: Some(note.clone()),
        };
        ctx.after(millis(50), message);
        ctx.every(millis(10), || tick(2));
        ctx.pipe(pending::<()>(), |_| tick(3));
        ctx.attach(stream::pending(), tick);
        ctx.spawn(async move {
            let _note = note;
            pending::<()>().await;
        });
    });
    ticker.run(set).await.unwrap();
    pass(15).await;
    assert_eq!(log.words(), [2]);
    Handle::restart(&ticker).unwrap();
    ticker.ping().await.unwrap();
    assert_eq!(Handle::incarnation(&ticker), 2);
    until(|| Arc::strong_count(&gone) == 1 && live() == before).await;
    pass(100).await;
    assert_eq!(log.words(), [2]);
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_is_queued_is_not_delivered_to_the_next_incarnation() {
    let (ticker, log) = restartable();
    let set = act(|ctx| drop(ctx.after(millis(5), tick(1)).keyed("a")));
    ticker.run(set).await.unwrap();
    let gate = Gate::shut();
    ticker.hold(gate.clone(), act(|_| ())).tell().await.unwrap();
    gate.reached().await;
    pass(10).await;
    Handle::restart(&ticker).unwrap();
    gate.open();
    let again = act(|ctx| {
        assert!(ctx.timers().is_empty());
        ctx.after(millis(5), tick(2)).keyed("a");
    });
    ticker.run(again).await.unwrap();
    pass(50).await;
    assert_eq!(log.words(), [2]);
}

/// Goes on after a panic.
#[actor]
struct Stoic {
    log: Log,
}

#[actor]
impl Stoic {
    fn begin(&mut self, ctx: &mut Context<Self>) {
        let mut count = 0;
        ctx.every(millis(10), move || {
            count += 1;
            assert_ne!(count, 2, "no second tick");
            StoicNote { word: count }
        });
    }

    fn note(&mut self, word: u32) {
        self.log.write(word);
    }

    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::resume()
    }
}

impl ResumeAfterPanic for Stoic {}

#[tokio::test(start_paused = true)]
async fn a_timer_of_an_actor_that_goes_on_after_a_panic_goes_on_as_well() {
    let log = Log::new();
    let stoic = Stoic { log: log.clone() }.spawn();
    stoic.begin().await.unwrap();
    pass(45).await;
    assert_eq!(log.lines(), [(1, 10), (3, 30), (4, 40)]);
}
