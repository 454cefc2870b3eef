//! Replies that are streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures::stream::{self, Stream, StreamExt, TryStreamExt};
use greenroom::limits::STREAM_BUFFER;
use greenroom::{Context, ExitReason, Handle, ReplyStream, actor};

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, poll_once, until, within};

/// Counts what was made of its items, and is noted when it goes.
#[derive(Clone, Default)]
struct Made(Arc<AtomicUsize>);

impl Made {
    fn one(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Streams numbers.
#[actor(mailbox = 4)]
struct Source {
    numbers: Vec<usize>,
    made: Made,
}

#[actor]
impl Source {
    /// Borrows the actor.
    fn all(&mut self) -> impl Stream<Item = usize> {
        stream::iter(self.numbers.iter().copied())
    }

    /// Borrows the actor, and changes it.
    #[message(inline = always)]
    fn drain(&mut self, at_most: usize) -> impl Stream<Item = usize> {
        stream::iter(self.numbers.drain(..at_most))
    }

    /// Waits before it begins.
    async fn later(&mut self, ctx: &mut Context<Self>) -> impl Stream<Item = (usize, String)> {
        tokio::task::yield_now().await;
        let name = ctx.name().to_owned();
        stream::iter(&self.numbers).map(move |n| (*n, name.clone()))
    }

    /// Never ends.
    fn endless(&mut self) -> impl Stream<Item = usize> {
        let made = self.made.clone();
        stream::iter(std::iter::repeat_with(move || made.one()))
    }

    /// Gives one item, and no more until the gate is opened; then it ends, or panics.
    fn gated(&mut self, gate: Gate, panics: bool) -> impl Stream<Item = usize> {
        let wait = async move {
            gate.pass().await;
            assert!(!panics, "in a stream");
            2
        };
        let made = self.made.clone();
        let keep = move |n| {
            let _ = (&made, &self);
            n
        };
        stream::once(async { 1 })
            .chain(stream::once(wait))
            .map(keep)
    }

    /// Borrows nothing.
    fn beside(&self, n: usize) -> impl Stream<Item = usize> + use<> {
        stream::iter(0..n)
    }

    async fn beside_later(&self, n: usize) -> impl Stream<Item = usize> + use<> {
        tokio::task::yield_now().await;
        stream::iter(0..n)
    }

    /// Borrows nothing, and waits at the gate after the first item.
    fn beside_gated(&self, gate: Gate) -> impl Stream<Item = usize> + use<> {
        let made = self.made.clone();
        let wait = async move {
            gate.pass().await;
            made.one()
        };
        stream::once(async { 1 }).chain(stream::once(wait))
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }
}

fn source(count: usize) -> (SourceHandle, Made) {
    let made = Made::default();
    let source = Source {
        numbers: (0..count).collect(),
        made: made.clone(),
    };
    (source.spawn(), made)
}

#[test]
fn the_items_come_in_order_and_then_the_end() {
    on_each_runtime(|| async {
        for count in [0, 1, STREAM_BUFFER, 1000] {
            let (source, _) = source(count);
            let numbers: Vec<_> = (0..count).collect();
            let all = within(source.all()).await.unwrap();
            assert_eq!(within(all.try_collect::<Vec<_>>()).await.unwrap(), numbers);
            let later = within(source.later()).await.unwrap();
            let later: Vec<_> = within(later.try_collect()).await.unwrap();
            assert!(later.iter().all(|(_, name)| name == "Source"));
            assert_eq!(later.len(), count);
            let drained = within(source.drain(count)).await.unwrap();
            let drained: Vec<_> = within(drained.try_collect()).await.unwrap();
            assert_eq!(drained, numbers);
            assert_eq!(within(source.count()).await.unwrap(), 0);
            assert_at_rest(&source);
        }
    });
}

#[test]
fn after_its_end_a_stream_gives_nothing_more() {
    on_each_runtime(|| async {
        let (source, _) = source(1);
        let mut all = within(source.all()).await.unwrap();
        assert_eq!(within(all.next()).await.unwrap().unwrap(), 0);
        assert!(within(all.next()).await.is_none());
        assert!(within(all.next()).await.is_none());
    });
}

#[test]
fn no_more_items_are_made_than_are_read_and_buffered() {
    on_each_runtime(|| async {
        let (source, made) = source(0);
        let mut endless = within(source.endless()).await.unwrap();
        for read in 0..100 {
            assert_eq!(within(endless.next()).await.unwrap().unwrap(), read);
            assert!(made.count() <= read + 1 + STREAM_BUFFER, "{}", made.count());
        }
        until(|| made.count() == 100 + STREAM_BUFFER).await;
    });
}

#[test]
fn the_handler_lasts_as_long_as_its_stream_is_wanted() {
    on_each_runtime(|| async {
        let (source, _) = source(3);
        let endless = within(source.endless()).await.unwrap();
        let mut count = Box::pin(source.count());
        assert!(poll_once(&mut count).await.is_pending());
        drop(endless);
        assert_eq!(within(count).await.unwrap(), 3);
        // At an await of its own, too.
        let gate = Gate::shut();
        let gated = within(source.gated(gate.clone(), false)).await.unwrap();
        gate.reached().await;
        drop(gated);
        assert_eq!(within(source.count()).await.unwrap(), 3);
        source.endless().tell().await.unwrap();
        assert_eq!(within(source.count()).await.unwrap(), 3);
        assert_at_rest(&source);
    });
}

/// Reads the first item, and what comes after `cut`.
async fn cut(mut items: ReplyStream<usize>, gate: Gate, cut: impl AsyncFnOnce()) -> ExitReason {
    assert_eq!(within(items.next()).await.unwrap().unwrap(), 1);
    gate.reached().await;
    cut().await;
    let error = within(items.next())
        .await
        .expect("not the end")
        .unwrap_err();
    assert!(within(items.next()).await.is_none());
    error.reason().expect("the actor has ended").clone()
}

#[test]
fn the_end_of_the_actor_is_not_taken_for_the_end_of_the_stream() {
    on_each_runtime(|| async {
        for is_beside in [true, false] {
            let (source, _) = source(0);
            let gate = Gate::shut();
            let items = match is_beside {
                true => within(source.beside_gated(gate.clone())).await.unwrap(),
                false => within(source.gated(gate.clone(), false)).await.unwrap(),
            };
            let reason = cut(items, gate, async || source.kill()).await;
            assert!(matches!(reason, ExitReason::Killed));
        }
    });
}

#[test]
fn a_panic_in_a_stream_ends_its_actor_and_the_asker_is_told() {
    on_each_runtime(|| async {
        let (source, _) = source(0);
        let gate = Gate::shut();
        let items = within(source.gated(gate.clone(), true)).await.unwrap();
        let reason = cut(items, gate.clone(), async || gate.open()).await;
        let ExitReason::Panicked(crash) = reason else {
            panic!("{reason}")
        };
        assert_eq!(crash.text(), "in a stream");
        assert!(format!("{:?}", crash.during()).contains("SourceGated"));
    });
}

#[test]
fn an_actor_that_is_stopped_finishes_its_stream_first() {
    on_each_runtime(|| async {
        let (source, _) = source(100);
        let mut all = within(source.all()).await.unwrap();
        let weak = Handle::downgrade(&source);
        assert_eq!(within(all.next()).await.unwrap().unwrap(), 0);
        drop(source);
        let rest: Vec<_> = within(all.try_collect()).await.unwrap();
        assert_eq!(rest, (1..100).collect::<Vec<_>>());
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
    });
}

#[test]
fn a_stream_that_borrows_nothing_leaves_the_actor_free() {
    on_each_runtime(|| async {
        let (source, made) = source(2);
        let gate = Gate::shut();
        let mut gated = within(source.beside_gated(gate.clone())).await.unwrap();
        assert_eq!(within(gated.next()).await.unwrap().unwrap(), 1);
        gate.reached().await;
        assert_eq!(within(source.count()).await.unwrap(), 2);
        let beside = within(source.beside(500)).await.unwrap();
        let numbers: Vec<_> = within(beside.try_collect()).await.unwrap();
        assert_eq!(numbers, (0..500).collect::<Vec<_>>());
        let later = within(source.beside_later(5)).await.unwrap();
        assert_eq!(
            within(later.try_collect::<Vec<_>>()).await.unwrap().len(),
            5
        );
        // Dropped with its asker: the actor's own is the other that is left of two.
        assert_eq!(Arc::strong_count(&made.0), 3);
        drop(gated);
        until(|| Arc::strong_count(&made.0) == 2).await;
        assert_eq!(made.count(), 0);
    });
}

#[test]
fn a_stream_beside_keeps_no_actor_running_and_ends_with_it() {
    on_each_runtime(|| async {
        let (source, made) = source(0);
        let weak = Handle::downgrade(&source);
        let gate = Gate::shut();
        let items = within(source.beside_gated(gate.clone())).await.unwrap();
        let reason = cut(items, gate, async move || {
            drop(source);
            within(weak.join()).await;
        });
        assert!(matches!(reason.await, ExitReason::Dropped));
        until(|| Arc::strong_count(&made.0) == 1).await;
    });
}

#[test]
fn a_stream_can_be_asked_for_in_two_steps_and_by_many() {
    on_each_runtime(|| async {
        let (source, _) = source(3);
        let mut waiting = Box::pin(source.all().enqueue());
        let Poll::Ready(Ok(reply)) = poll_once(&mut waiting).await else {
            panic!("a slot is free")
        };
        let first = within(reply).await.unwrap();
        assert_eq!(
            within(first.try_collect::<Vec<_>>()).await.unwrap().len(),
            3
        );
        let limit = crate::actor::support::LIMIT;
        let limited = within(source.drain(2).timeout(limit)).await.unwrap();
        assert_eq!(
            within(limited.try_collect::<Vec<_>>()).await.unwrap(),
            [0, 1]
        );
        assert_eq!(within(source.count()).await.unwrap(), 1);
    });
}

/// Generic, so that what a stream captures is named.
#[actor]
struct Shelf<T> {
    items: Vec<T>,
}

#[actor]
impl<T: Clone + Send + Sync + 'static> Shelf<T> {
    fn borrowed(&mut self) -> impl Stream<Item = T> {
        stream::iter(self.items.iter().cloned())
    }

    fn copied(&mut self) -> impl Stream<Item = T> + use<T> {
        stream::iter(self.items.clone())
    }
}

#[test]
fn actors_with_type_parameters_stream_too() {
    on_each_runtime(|| async {
        let shelf = Shelf {
            items: vec!["a", "b"],
        }
        .spawn();
        let borrowed = within(shelf.borrowed()).await.unwrap();
        assert_eq!(
            within(borrowed.try_collect::<Vec<_>>()).await.unwrap(),
            ["a", "b"]
        );
        let copied = within(shelf.ask(ShelfCopied)).await.unwrap();
        assert_eq!(
            within(copied.try_collect::<Vec<_>>()).await.unwrap(),
            ["a", "b"]
        );
    });
}
