//! Messages that are answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;

use super::CAPACITY;
use crate::peer::Peer;
use crate::stats::nanos_per_item;

const ASKS: u64 = 300_000;
/// Tasks that ask at once.
pub const TASKS: usize = 64;

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

/// A handler asks another actor, again and again; the message that starts it counts as one more.
pub fn from_handler<P: Peer>() -> f64 {
    const ASKS_PER_MESSAGE: u64 = 1_000;
    P::run(async {
        let asker = P::chain(Some(P::chain(None)));
        go_through::<P>(&asker, ASKS_PER_MESSAGE, ASKS / 10).await;
        let start = Instant::now();
        let handlers = go_through::<P>(&asker, ASKS_PER_MESSAGE, ASKS).await;
        nanos_per_item(start.elapsed(), handlers)
    })
}

/// A task asks an actor, whose handler asks the next, and so on: the time for each of them.
pub fn chain_100<P: Peer>() -> f64 {
    P::run(async {
        let chain = (1..100).fold(P::chain(None), |next, _| P::chain(Some(next)));
        go_through::<P>(&chain, 1, ASKS / 10).await;
        let start = Instant::now();
        let handlers = go_through::<P>(&chain, 1, ASKS).await;
        nanos_per_item(start.elapsed(), handlers)
    })
}

/// Asks until `handlers` have run, and gives how many did.
async fn go_through<P: Peer>(link: &P::Link, asks_per_message: u64, handlers: u64) -> u64 {
    let mut sum = 0;
    while sum < handlers {
        sum += P::through(link, asks_per_message).await;
    }
    sum
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

/// 64 tasks ask one actor, each time by a handle that is cloned for it and dropped: beside
/// `ask_concurrent_64x1` this shows the cost of a count that all of them change.
pub fn clone_handles_64<P: Peer>() -> f64 {
    const ASKS_PER_TASK: u64 = 8_000;
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_by_clones::<P>(&counter, ASKS_PER_TASK / 10).await;
        let start = Instant::now();
        let asks = ask_by_clones::<P>(&counter, ASKS_PER_TASK).await;
        nanos_per_item(start.elapsed(), asks)
    })
}

async fn ask_by_clones<P: Peer>(counter: &P::Counter, asks_per_task: u64) -> u64 {
    // The tasks share one handle: their clones are clones of that.
    let shared = Arc::new(counter.clone());
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let shared = shared.clone();
            P::task(async move {
                for _ in 0..asks_per_task {
                    let counter = P::Counter::clone(&shared);
                    P::ask(&counter, 1).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await;
    }
    TASKS as u64 * asks_per_task
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
