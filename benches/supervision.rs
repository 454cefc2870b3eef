//! What supervision costs: a child beside a plain actor, from spawn to end; a restart.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use greenroom::{Child, Handle, Intensity, Restart, Supervisor, actor};
use tokio::runtime::{Builder, Runtime};

#[actor]
struct Clerk;

#[actor]
impl Clerk {
    fn call(&mut self) {}
}

fn host() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// Actors that are alive at a time.
const CROWD: usize = 100;

fn spawns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spawn_and_first_ask");
    group.bench_function("plain", |bencher| {
        let host = host();
        bencher.iter_custom(|rounds| {
            host.block_on(async {
                let begin = Instant::now();
                for _ in 0..rounds {
                    let clerk = Clerk.spawn();
                    clerk.call().await.expect("it lives");
                }
                begin.elapsed()
            })
        });
    });
    group.bench_function("supervised", |bencher| {
        let host = host();
        bencher.iter_custom(|rounds| {
            host.block_on(async {
                let mut spent = Duration::ZERO;
                for _ in 0..rounds.div_ceil(CROWD as u64) {
                    let supervisor = Supervisor::builder().spawn();
                    let begin = Instant::now();
                    for _ in 0..CROWD {
                        let child = Child::new(|| Clerk).restart(Restart::Temporary);
                        let clerk = supervisor.add(child).await.expect("it is added");
                        clerk.call().await.expect("it lives");
                    }
                    spent += begin.elapsed();
                    supervisor.shutdown().await;
                }
                spent.mul_f64(rounds as f64 / (rounds.div_ceil(CROWD as u64) * CROWD as u64) as f64)
            })
        });
    });
    group.finish();
}

fn restarts(criterion: &mut Criterion) {
    criterion.bench_function("kill_restart_and_first_ask", |bencher| {
        let host = host();
        bencher.iter_custom(|rounds| {
            host.block_on(async {
                let child = Child::new(|| Clerk)
                    .name("clerk")
                    .intensity(Intensity::unlimited());
                let supervisor = Supervisor::builder().child(child).spawn();
                let clerk = supervisor.child::<Clerk>("clerk").await.expect("a child");
                let begin = Instant::now();
                for _ in 0..rounds {
                    Handle::kill(&clerk);
                    // Refused until it is back.
                    while clerk.call().await.is_err() {
                        tokio::task::yield_now().await;
                    }
                }
                let spent = begin.elapsed();
                supervisor.shutdown().await;
                spent
            })
        });
    });
}

criterion_group!(benches, spawns, restarts);
criterion_main!(benches);
