//! What a handler finds around it: inline, and in the queue.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use greenroom::actor;
use tokio::task::coop;
use tracing::Subscriber;
use tracing::span::{Attributes, Id, Record};

use super::super::support::{Flavor, Gate, on_each_runtime, on_thread, within};

tokio::task_local! {
    static LOCAL: u32;
}

/// Says what it sees, in both ways.
#[actor]
struct Witness;

type Seen = (Option<u32>, Option<u32>);

#[actor]
impl Witness {
    #[message(inline = always)]
    async fn locals_inline(&mut self, gate: Gate) -> Seen {
        locals(gate).await
    }

    #[message(inline = never)]
    async fn locals_queued(&mut self, gate: Gate) -> Seen {
        locals(gate).await
    }

    #[message(inline = always)]
    fn spend_inline(&mut self, units: u32) {
        spend(units);
    }

    #[message(inline = never)]
    fn spend_queued(&mut self, units: u32) {
        spend(units);
    }

    #[message(inline = always)]
    fn span_inline(&mut self) -> Option<Id> {
        tracing::Span::current().id()
    }

    #[message(inline = never)]
    fn span_queued(&mut self) -> Option<Id> {
        tracing::Span::current().id()
    }

    #[message(inline = always)]
    async fn id_inline(&mut self, gate: Gate) -> Ids {
        ids(gate).await
    }

    #[message(inline = never)]
    async fn id_queued(&mut self, gate: Gate) -> Ids {
        ids(gate).await
    }
}

type Ids = [Option<greenroom::Id>; 2];

/// Who runs: before the first await, and after it.
async fn ids(gate: Gate) -> Ids {
    let before = greenroom::try_id();
    gate.pass().await;
    [before, greenroom::try_id()]
}

/// A local of the asker: before the first await, and after it.
async fn locals(gate: Gate) -> Seen {
    let before = LOCAL.try_get().ok();
    gate.pass().await;
    (before, LOCAL.try_get().ok())
}

/// Uses so much of the budget around.
fn spend(units: u32) {
    let mut cx = Context::from_waker(std::task::Waker::noop());
    for _ in 0..units {
        if let Poll::Ready(unit) = coop::poll_proceed(&mut cx) {
            unit.made_progress();
        }
    }
}

/// What is left of the budget around.
async fn left() -> u32 {
    poll_fn(|cx| {
        let mut units = 0;
        while let Poll::Ready(unit) = coop::poll_proceed(cx) {
            unit.made_progress();
            units += 1;
        }
        Poll::Ready(units)
    })
    .await
}

#[test]
fn a_local_of_the_askers_task_shows_inline_until_the_first_await() {
    on_each_runtime(|| async {
        let witness = Witness.spawn();
        LOCAL
            .scope(7, async {
                for inline in [true, false] {
                    let gate = Gate::shut();
                    let seen = async {
                        match inline {
                            true => witness.locals_inline(gate.clone()).await,
                            false => witness.locals_queued(gate.clone()).await,
                        }
                    };
                    let open = async {
                        gate.reached().await;
                        gate.open();
                    };
                    let (seen, ()) = within(async { tokio::join!(biased; seen, open) }).await;
                    assert_eq!(seen.unwrap(), (inline.then_some(7), None));
                }
            })
            .await;
    });
}

#[test]
fn an_inline_handler_has_its_actors_id_and_its_asker_gets_its_own_back() {
    on_each_runtime(|| async {
        let witness = Witness.spawn();
        let ours = [Some(witness.id()); 2];
        let asks = |witness: WitnessHandle| async move {
            let own = greenroom::try_id();
            for inline in [true, false] {
                let gate = Gate::shut();
                let ask = async {
                    match inline {
                        true => witness.id_inline(gate.clone()).await,
                        false => witness.id_queued(gate.clone()).await,
                    }
                };
                let open = async {
                    assert_eq!(greenroom::try_id(), own, "inline: {inline}");
                    gate.reached().await;
                    gate.open();
                };
                let (ids, ()) = within(async { tokio::join!(biased; ask, open) }).await;
                assert_eq!(ids.unwrap(), ours, "inline: {inline}");
            }
            own
        };
        let asker = greenroom::spawn(asks(witness.clone()));
        let id = asker.id();
        assert_eq!(within(asker).await.unwrap(), Some(id));
        assert_eq!(asks(witness).await, greenroom::try_id());
    });
}

#[test]
fn an_inline_handler_spends_the_budget_of_its_asker() {
    on_each_runtime(|| async {
        let witness = Witness.spawn();
        let asker = greenroom::spawn(async move {
            greenroom::yield_now().await;
            let all = left().await;
            greenroom::yield_now().await;
            witness.spend_inline(30).await.unwrap();
            let inline = left().await;
            greenroom::yield_now().await;
            witness.spend_queued(30).await.unwrap();
            (all, inline, left().await)
        });
        let (all, inline, queued) = within(asker).await.unwrap();
        assert_eq!(inline, all - 31, "the ask itself costs one");
        assert!(queued >= all - 1, "{queued} of {all}");
    });
}

/// Takes the spans of some targets, and nothing else.
struct Spans {
    actors: bool,
    entered: Mutex<Vec<Id>>,
    made: Mutex<u64>,
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        !metadata.is_event() && (self.actors || !metadata.target().starts_with("greenroom"))
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        let mut made = self.made.lock().unwrap();
        *made += 1;
        Id::from_u64(*made)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.entered.lock().unwrap().push(id.clone());
    }

    fn exit(&self, _: &Id) {
        self.entered.lock().unwrap().pop();
    }

    fn current_span(&self) -> tracing_core::span::Current {
        match self.entered.lock().unwrap().last() {
            Some(id) => tracing_core::span::Current::new(id.clone(), METADATA),
            None => tracing_core::span::Current::none(),
        }
    }
}

static CALLSITE: tracing::callsite::DefaultCallsite =
    tracing::callsite::DefaultCallsite::new(METADATA);

static METADATA: &tracing::Metadata<'static> = &tracing::metadata! {
    name: "span",
    target: "spans",
    level: tracing::Level::INFO,
    fields: &[],
    callsite: &CALLSITE,
    kind: tracing::metadata::Kind::SPAN,
};

/// What handlers see of the asker's span, inline and queued.
fn spans(actors: bool) -> [bool; 2] {
    let spans = Spans {
        actors,
        entered: Mutex::default(),
        made: Mutex::default(),
    };
    let spans = Arc::new(spans);
    let _observed = super::super::support::observe(Arc::clone(&spans));
    let runtime = Flavor::OneThread.build();
    runtime.block_on(async {
        let witness = Witness.spawn();
        let span = tracing::info_span!("asker");
        let mut seen = [None, None];
        {
            let mut ask = pin!(witness.span_inline());
            let ask = poll_fn(|cx| span.in_scope(|| ask.as_mut().poll(cx)));
            seen[0] = ask.await.unwrap();
            let mut ask = pin!(witness.span_queued());
            let ask = poll_fn(|cx| span.in_scope(|| ask.as_mut().poll(cx)));
            seen[1] = ask.await.unwrap();
        }
        seen.map(|seen| seen.is_some() && seen == span.id())
    })
}

#[test]
fn the_askers_span_shows_inline_where_the_actor_has_none() {
    on_thread(|| assert_eq!(spans(false), [true, false]));
}

#[test]
fn where_the_actor_has_a_span_that_is_around_in_both_ways() {
    on_thread(|| assert_eq!(spans(true), [false, false]));
}
