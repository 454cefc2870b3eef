//! How long single asks take. Each sample includes one pair of clock reads.

use std::time::Instant;

use hdrhistogram::Histogram;

use super::CAPACITY;
use super::ask::{TASKS, ask_all};
use crate::peer::Peer;

/// One task asks an idle actor, again and again.
pub fn sequential<P: Peer>() -> Histogram<u64> {
    const ASKS: u64 = 300_000;
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_all::<P>(&counter, ASKS / 10).await;
        ask_timed::<P>(&counter, ASKS).await
    })
}

/// 64 tasks ask one actor: most of the time an ask stands in the mailbox behind others.
pub fn concurrent<P: Peer>() -> Histogram<u64> {
    const ASKS_PER_TASK: u64 = 8_000;
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_from_tasks::<P>(&counter, ASKS_PER_TASK / 10).await;
        ask_from_tasks::<P>(&counter, ASKS_PER_TASK).await
    })
}

async fn ask_from_tasks<P: Peer>(counter: &P::Counter, asks_per_task: u64) -> Histogram<u64> {
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let counter = counter.clone();
            P::task(async move { ask_timed::<P>(&counter, asks_per_task).await })
        })
        .collect();
    let mut all = histogram();
    for task in tasks {
        all.add(task.await).expect("all have the same bounds");
    }
    all
}

async fn ask_timed<P: Peer>(counter: &P::Counter, asks: u64) -> Histogram<u64> {
    let mut latency = histogram();
    for _ in 0..asks {
        let start = Instant::now();
        P::ask(counter, 1).await;
        latency.saturating_record(start.elapsed().as_nanos() as u64);
    }
    latency
}

/// Nanoseconds up to a minute, each within a thousandth of what it was.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("the bounds are in order")
}
