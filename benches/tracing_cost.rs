//! What tracing costs an ask: without a subscriber, with one whose level leaves message spans
//! out, and with one that takes them. The subscriber keeps nothing, so that only our share counts.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use criterion::{Criterion, criterion_group, criterion_main};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The level that keeps an actor's life and leaves its messages out.
const LIFE_LEVEL: LevelFilter = LevelFilter::INFO;

static ALL_LEVELS: AtomicBool = AtomicBool::new(false);
static SPANS: AtomicU64 = AtomicU64::new(0);

// Ordering: Relaxed throughout; the level is switched while no ask is under way, and the rebuilt
// call sites carry it to the workers.
struct Switch;

impl Switch {
    fn take_all_levels(all: bool) {
        ALL_LEVELS.store(all, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
    }

    fn level() -> LevelFilter {
        if ALL_LEVELS.load(Ordering::Relaxed) {
            LevelFilter::TRACE
        } else {
            LIFE_LEVEL
        }
    }
}

impl Subscriber for Switch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Self::level()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(Self::level())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(SPANS.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn tracing_cost(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tracing_cost");
    let runtime = support::runtime(2);
    let counter = runtime.block_on(async { support::counter(64) });
    let mut bench = |name| {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let counter = counter.clone();
                support::time(&runtime, iterations, move || ask(counter.clone()))
            });
        });
    };

    // A subscriber stays for the rest of the process, so this order matters.
    bench("no_subscriber");
    tracing::subscriber::set_global_default(Switch).expect("no other subscriber is set");
    bench("message_spans_off");
    assert_eq!(spans(), 0, "no ask makes a span that is off");
    Switch::take_all_levels(true);
    bench("message_spans_on");
    runtime.block_on(ask(counter.clone()));
    assert_ne!(spans(), 0, "an ask makes a span that is on");
    group.finish();
}

fn spans() -> u64 {
    SPANS.load(Ordering::Relaxed)
}

async fn ask(counter: support::CounterHandle) {
    counter.add(1).await.expect("the counter answers");
}

criterion_group!(benches, tracing_cost);
criterion_main!(benches);
