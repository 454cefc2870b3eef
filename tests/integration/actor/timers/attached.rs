//! Streams whose items are messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::stream::{self, StreamExt};
use greenroom::{Attached, Context, actor, runtime};
use tokio::sync::mpsc;

use super::{Log, Tick, Ticker, act, busy_ticker, live, tick, ticker};
use crate::actor::support::{Gate, assert_at_rest, until, within};

/// A stream that is fed by hand, and ends when its sender goes.
fn fed() -> (mpsc::UnboundedSender<u32>, stream::BoxStream<'static, u32>) {
    let (feed, mut items) = mpsc::unbounded_channel();
    (feed, stream::poll_fn(move |cx| items.poll_recv(cx)).boxed())
}

#[tokio::test]
async fn items_come_as_messages_in_order_and_then_the_end() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        ctx.attach(stream::iter(1..=5), tick).on_end(|end| {
            assert!(end.is_ok());
            tick(99)
        });
    });
    ticker.run(set).await.unwrap();
    until(|| log.words().last() == Some(&99)).await;
    assert_eq!(log.words(), [1, 2, 3, 4, 5, 99]);
    assert_at_rest(&ticker);
}

#[tokio::test]
async fn a_stream_without_an_end_message_ends_in_silence() {
    let (ticker, log) = ticker();
    let before = live();
    let set = act(|ctx| drop(ctx.attach(stream::iter([1]), tick)));
    ticker.run(set).await.unwrap();
    until(|| live() == before).await;
    ticker.run(act(|_| ())).await.unwrap();
    assert_eq!(log.words(), [1]);
}

#[tokio::test]
async fn who_asks_for_the_end_of_a_stream_that_has_ended_is_told() {
    let (ticker, log) = ticker();
    let (told, attached) = std::sync::mpsc::channel::<Attached<Ticker>>();
    let set = act(move |ctx| told.send(ctx.attach(stream::empty(), tick)).unwrap());
    ticker.run(set).await.unwrap();
    let attached = attached.recv().unwrap();
    until(|| attached.is_finished()).await;
    let _ = attached.on_end(|_| tick(9));
    until(|| log.words() == [9]).await;
}

#[tokio::test]
async fn a_stream_is_not_polled_while_an_item_waits_for_its_slot() {
    let (ticker, log, gate) = busy_ticker(|_| ()).await;
    let made = Arc::new(AtomicU32::new(0));
    let count = made.clone();
    let numbers = stream::iter(0..100).inspect(move |_| _ = count.fetch_add(1, Ordering::Relaxed));
    let set = act(move |ctx| drop(ctx.attach(numbers, tick)));
    ticker.run(set).tell().await.unwrap();
    gate.open();
    let (ticker, gate) = {
        // It is busy again, now with the stream attached.
        let gate = Gate::shut();
        ticker.hold(gate.clone(), act(|_| ())).tell().await.unwrap();
        gate.reached().await;
        (ticker, gate)
    };
    until(|| ticker.waiting_senders() == 1).await;
    let (handled, slots) = (log.words().len(), ticker.capacity());
    let made_now = made.load(Ordering::Relaxed) as usize;
    assert_eq!(
        made_now,
        handled + slots + 1,
        "what is handled, queued, and waits"
    );
    gate.open();
    until(|| log.words().len() == 100).await;
    assert_eq!(log.words(), (0..100).collect::<Vec<_>>());
    assert_at_rest(&ticker);
}

#[tokio::test]
async fn a_stream_that_panics_ends_with_an_error_and_the_actor_goes_on() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let stream = stream::iter(1..=3).map(|n| {
            assert_ne!(n, 3, "in a stream");
            n
        });
        ctx.attach(stream, tick).on_end(|end| {
            assert!(end.unwrap_err().is_panic());
            tick(9)
        });
        let into = |n| -> Tick { panic!("item {n}") };
        ctx.attach(stream::iter([1]), into).on_end(|end| {
            assert!(end.unwrap_err().is_panic());
            tick(9)
        });
    });
    ticker.run(set).await.unwrap();
    until(|| log.words().len() == 4).await;
    let mut words = log.words();
    words.sort_unstable();
    assert_eq!(words, [1, 2, 9, 9]);
}

#[tokio::test]
async fn a_detached_stream_is_dropped_and_has_no_end_message() {
    let (ticker, log) = ticker();
    let (feed, items) = fed();
    let (told, attached) = std::sync::mpsc::channel::<Attached<Ticker>>();
    let set = act(move |ctx| {
        told.send(ctx.attach(items, tick).on_end(|_| tick(9)))
            .unwrap()
    });
    ticker.run(set).await.unwrap();
    feed.send(1).unwrap();
    until(|| log.words() == [1]).await;
    let attached = attached.recv().unwrap();
    assert!(!attached.is_finished());
    attached.detach();
    within(feed.closed()).await;
    until(|| attached.is_finished()).await;
    ticker.run(act(|_| ())).await.unwrap();
    assert_eq!(log.words(), [1]);
}

#[tokio::test]
async fn field_43_a_quiet_stream_goes_when_its_actor_stops_and_does_not_keep_it() {
    let (ticker, log) = ticker();
    let before = live();
    let (feed, items) = fed();
    let set = act(|ctx| drop(ctx.attach(items, tick).on_end(|_| tick(9))));
    ticker.run(set).await.unwrap();
    let weak = ticker.downgrade();
    drop(ticker);
    within(weak.join()).await;
    within(feed.closed()).await;
    until(|| live() == before - 1).await;
    assert_eq!(log.words(), []);
}

/// Attaches a stream when it is too late.
#[actor]
struct Late {
    items: Option<stream::BoxStream<'static, u32>>,
}

#[actor]
impl Late {
    fn note(&mut self, _word: u32) {
        unreachable!("it takes nothing any more");
    }

    #[on(stop)]
    fn end(&mut self, ctx: &mut Context<Self>) {
        let items = self.items.take().expect("it ends once");
        ctx.attach(items, |_word| LateNote { _word });
    }
}

#[tokio::test]
async fn a_stream_that_is_attached_as_its_actor_ends_goes_with_it() {
    let before = live();
    let (feed, items) = fed();
    feed.send(1).unwrap();
    let late = Late { items: Some(items) }.spawn();
    assert!(within(late.shutdown()).await.is_normal());
    within(feed.closed()).await;
    until(|| live() == before).await;
}

#[tokio::test]
async fn an_item_that_waits_for_its_slot_does_not_keep_the_actor() {
    let (ticker, log, gate) = busy_ticker(|_| ()).await;
    let (feed, items) = fed();
    let set = act(|ctx| drop(ctx.attach(items, tick)));
    ticker.run(set).tell().await.unwrap();
    gate.open();
    let gate = Gate::shut();
    ticker.hold(gate.clone(), act(|_| ())).tell().await.unwrap();
    gate.reached().await;
    (1..=3).for_each(|n| feed.send(n).unwrap());
    until(|| ticker.waiting_senders() == 1).await;
    let weak = ticker.downgrade();
    drop(ticker);
    assert!(weak.upgrade().is_none());
    gate.open();
    within(weak.join()).await;
    assert_eq!(
        log.words(),
        [1, 2],
        "what was accepted is handled, what waited is not"
    );
}

/// Takes what it can.
#[actor(mailbox = 1)]
struct Sieve {
    log: Log,
}

#[actor]
impl Sieve {
    #[message(overflow = reject)]
    fn take(&mut self, word: u32) {
        self.log.write(word);
    }

    fn fill(&mut self, items: Vec<u32>, ctx: &mut Context<Self>) -> Attached<Self> {
        ctx.attach(stream::iter(items), |word| SieveTake { word })
    }
}

#[tokio::test(flavor = "current_thread")]
async fn items_of_a_kind_that_is_rejected_when_there_is_no_room_are_undelivered() {
    let log = Log::new();
    let sieve = Sieve { log: log.clone() }.spawn();
    let before = runtime::Handle::current().metrics().undelivered.overflow;
    let attached = sieve.fill((1..=5).collect()).await.unwrap();
    until(|| attached.is_finished()).await;
    let lost = runtime::Handle::current().metrics().undelivered.overflow - before;
    until(|| log.words().len() as u64 + lost == 5).await;
    assert!(lost >= 1, "a pump fills the one slot before the sieve runs");
}
