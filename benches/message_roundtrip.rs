//! Messages to one actor and back, sustained over one long-lived runtime, beside the same actor
//! written by hand.

mod raw;
mod support;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use raw::RawCounter;

const CAPACITY: usize = 64;
/// More than a mailbox holds, so that each burst also waits for room.
const BURST: u64 = 200;

fn message_roundtrip(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("message_roundtrip");
    for workers in [1, 4] {
        let runtime = support::runtime(workers);
        let counter = runtime.block_on(async { support::counter(CAPACITY) });
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("ask", workers), |bencher| {
            bencher.iter_custom(|iterations| {
                let counter = counter.clone();
                support::time(&runtime, iterations, move || ask(counter.clone()))
            });
        });
        group.throughput(Throughput::Elements(BURST));
        group.bench_function(BenchmarkId::new("burst", workers), |bencher| {
            bencher.iter_custom(|iterations| {
                let counter = counter.clone();
                support::time(&runtime, iterations, move || burst(counter.clone()))
            });
        });
        let by_hand = runtime.block_on(async { RawCounter::spawn(CAPACITY) });
        group.bench_function(BenchmarkId::new("burst_by_hand", workers), |bencher| {
            bencher.iter_custom(|iterations| {
                let counter = by_hand.clone();
                raw::time(&runtime, iterations, move || burst_by_hand(counter.clone()))
            });
        });
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("ask_by_hand", workers), |bencher| {
            bencher.iter_custom(|iterations| {
                let counter = by_hand.clone();
                raw::time(&runtime, iterations, move || ask_by_hand(counter.clone()))
            });
        });
    }
    group.finish();
}

async fn ask(counter: support::CounterHandle) {
    counter.add(1).await.expect("the counter answers");
}

/// One-way messages, and an ask whose answer proves that they were handled.
async fn burst(counter: support::CounterHandle) {
    for _ in 1..BURST {
        counter.add(1).tell().await.expect("the counter lives");
    }
    counter.add(1).await.expect("the counter answers");
}

async fn ask_by_hand(counter: RawCounter) {
    counter.ask(1).await;
}

async fn burst_by_hand(counter: RawCounter) {
    for _ in 1..BURST {
        counter.tell(1).await;
    }
    counter.ask(1).await;
}

criterion_group!(benches, message_roundtrip);
criterion_main!(benches);
