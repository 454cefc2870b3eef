//! Messages that are answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;

use super::CAPACITY;
use crate::peer::Peer;
use crate::stats::{nanos_per_item, percentile};

const ASKS: u64 = 300_000;

/// One task asks an idle actor, again and again: the mean.
pub fn sequential<P: Peer>() -> f64 {
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_all::<P>(&counter, ASKS / 10).await;
        let start = Instant::now();
        ask_all::<P>(&counter, ASKS).await;
        nanos_per_item(start.elapsed(), ASKS)
    })
}

/// The same, P99; each sample includes one pair of clock reads.
pub fn sequential_p99<P: Peer>() -> f64 {
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_all::<P>(&counter, ASKS / 10).await;
        let mut samples = Vec::with_capacity(ASKS as usize);
        for _ in 0..ASKS {
            let start = Instant::now();
            P::ask(&counter, 1).await;
            samples.push(start.elapsed().as_nanos() as u64);
        }
        percentile(&mut samples, 99) as f64
    })
}

/// 64 tasks ask `ACTORS` actors, each task all of them in turn.
pub fn concurrent<P: Peer, const ACTORS: usize>() -> f64 {
    const ASKS_PER_TASK: u64 = 8_000;
    P::run(async {
        let counters: Arc<[_]> = (0..ACTORS).map(|_| P::counter(CAPACITY)).collect();
        ask_from_tasks::<P>(&counters, ASKS_PER_TASK / 10).await;
        let start = Instant::now();
        let asks = ask_from_tasks::<P>(&counters, ASKS_PER_TASK).await;
        nanos_per_item(start.elapsed(), asks)
    })
}

/// Wall time until 16 idle actors, asked at once by one task, have each used 2 ms of CPU.
pub fn fanout_cpu<P: Peer>() -> f64 {
    const CPU_TIME: Duration = Duration::from_millis(2);
    const FANOUTS: u64 = 8;
    P::run(async {
        let burners: Vec<_> = (0..16).map(|_| P::burner()).collect();
        let fan_out = || join_all(burners.iter().map(|burner| P::burn(burner, CPU_TIME)));
        fan_out().await;
        let start = Instant::now();
        for _ in 0..FANOUTS {
            fan_out().await;
        }
        nanos_per_item(start.elapsed(), FANOUTS)
    })
}

pub async fn ask_all<P: Peer>(counter: &P::Counter, asks: u64) {
    let mut sum = 0;
    for _ in 0..asks {
        sum = P::ask(counter, 1).await;
    }
    assert!(sum >= asks);
}

async fn ask_from_tasks<P: Peer>(counters: &Arc<[P::Counter]>, asks_per_task: u64) -> u64 {
    const TASKS: usize = 64;
    let tasks: Vec<_> = (0..TASKS)
        .map(|first| {
            let counters = counters.clone();
            P::task(async move {
                let turns = counters.iter().cycle().skip(first % counters.len());
                for counter in turns.take(asks_per_task as usize) {
                    P::ask(counter, 1).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await;
    }
    TASKS as u64 * asks_per_task
}
