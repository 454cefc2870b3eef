//! Producers that all tell the same actors, beside actors written by hand: workers compete for run
//! queues and mailboxes.

mod raw;
mod support;

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raw::RawCounter;

const ACTORS: usize = 16;
const CAPACITY: usize = 64;
const MESSAGES_PER_PRODUCER: usize = 10_000;

type Counters = Arc<[support::CounterHandle]>;

fn steal_contention(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("steal_contention");
    group.sample_size(20);
    let runtime = support::runtime(2);
    let counters: Counters =
        runtime.block_on(async { (0..ACTORS).map(|_| support::counter(CAPACITY)).collect() });
    let by_hand: Arc<[RawCounter]> =
        runtime.block_on(async { (0..ACTORS).map(|_| RawCounter::spawn(CAPACITY)).collect() });
    for producers in [2, 8] {
        group.throughput(Throughput::Elements(
            (producers * MESSAGES_PER_PRODUCER) as u64,
        ));
        group.bench_function(BenchmarkId::new("producers", producers), |bencher| {
            bencher.iter_custom(|iterations| {
                let counters = counters.clone();
                support::time(&runtime, iterations, move || {
                    produce(counters.clone(), producers)
                })
            });
        });
        group.bench_function(
            BenchmarkId::new("producers_by_hand", producers),
            |bencher| {
                bencher.iter_custom(|iterations| {
                    let counters = by_hand.clone();
                    raw::time(&runtime, iterations, move || {
                        produce_by_hand(counters.clone(), producers)
                    })
                });
            },
        );
    }
    group.finish();
}

/// Ends when all messages of all producers have been handled.
async fn produce(counters: Counters, producers: usize) {
    let tasks: Vec<_> = (0..producers)
        .map(|_| greenroom::spawn(produce_alone(counters.clone())))
        .collect();
    for task in tasks {
        task.await.expect("no producer panics");
    }
    for counter in counters.iter() {
        counter.add(0).await.expect("the counter answers");
    }
}

async fn produce_alone(counters: Counters) {
    for counter in counters.iter().cycle().take(MESSAGES_PER_PRODUCER) {
        counter.add(1).tell().await.expect("the counter lives");
    }
}

async fn produce_by_hand(counters: Arc<[RawCounter]>, producers: usize) {
    let tasks: Vec<_> = (0..producers)
        .map(|_| {
            let counters = counters.clone();
            tokio::spawn(async move {
                for counter in counters.iter().cycle().take(MESSAGES_PER_PRODUCER) {
                    counter.tell(1).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no producer panics");
    }
    for counter in counters.iter() {
        counter.ask(0).await;
    }
}

criterion_group!(benches, steal_contention);
criterion_main!(benches);
