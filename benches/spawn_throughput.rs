//! Spawns 1,000 actors and drops their handles, beside actors written by hand. The capacity of the
//! mailboxes must not matter.

mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tokio::sync::mpsc;

const ACTORS: usize = 1_000;

fn spawn_throughput(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spawn_throughput");
    group.throughput(Throughput::Elements(ACTORS as u64));
    let runtime = support::runtime(2);
    for capacity in [16, 1_000, 10_000] {
        group.bench_function(BenchmarkId::new("capacity", capacity), |bencher| {
            bencher.iter_custom(|iterations| {
                support::time(&runtime, iterations, move || spawn_and_drop(capacity))
            });
        });
    }
    group.bench_function("by_hand", |bencher| {
        bencher
            .iter_custom(|iterations| support::time(&runtime, iterations, spawn_and_drop_by_hand));
    });
    group.finish();
}

async fn spawn_and_drop(capacity: usize) {
    let actors: Vec<_> = (0..ACTORS).map(|_| support::counter(capacity)).collect();
    drop(black_box(actors));
    // Lets the worker end what has lost its handles, so that nothing piles up.
    greenroom::yield_now().await;
}

async fn spawn_and_drop_by_hand() {
    let actors: Vec<_> = (0..ACTORS).map(|_| counter_by_hand()).collect();
    drop(black_box(actors));
    greenroom::yield_now().await;
    tokio::task::yield_now().await;
}

/// A tokio task and a channel.
fn counter_by_hand() -> mpsc::Sender<u64> {
    let (sender, mut receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let mut sum = 0;
        while let Some(n) = receiver.recv().await {
            sum += n;
        }
        sum
    });
    sender
}

criterion_group!(benches, spawn_throughput);
criterion_main!(benches);
