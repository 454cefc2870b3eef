//! One-way messages. A measurement ends with an ask: its answer proves that all were handled. With
//! a peer whose messages overtake each other more than one may be needed.

use std::sync::Arc;
use std::time::Instant;

use super::CAPACITY;
use crate::peer::Peer;
use crate::stats::nanos_per_item;

/// One sender that is faster than its actor, held back by a mailbox of [`CAPACITY`].
pub fn backpressured<P: Peer>() -> f64 {
    const TELLS: u64 = 1_000_000;
    P::run(async {
        let counter = P::counter(CAPACITY);
        let sum = tell_all::<P>(&counter, TELLS / 10, 0).await;
        let start = Instant::now();
        tell_all::<P>(&counter, TELLS, sum).await;
        nanos_per_item(start.elapsed(), TELLS)
    })
}

/// One sender that never meets a full mailbox: short bursts into a large one.
pub fn uncontended<P: Peer>() -> f64 {
    const BURST: u64 = 200;
    const BURSTS: u64 = 4_000;
    P::run(async {
        let counter = P::counter(10_000);
        let mut sum = 0;
        for _ in 0..BURSTS / 10 {
            sum = tell_all::<P>(&counter, BURST, sum).await;
        }
        let start = Instant::now();
        for _ in 0..BURSTS {
            sum = tell_all::<P>(&counter, BURST, sum).await;
        }
        nanos_per_item(start.elapsed(), BURSTS * BURST)
    })
}

/// Eight senders, each telling sixteen actors in turn.
pub fn fan_in_8x16<P: Peer>() -> f64 {
    const TELLS_PER_SENDER: u64 = 100_000;
    P::run(async {
        let counters: Arc<[_]> = (0..16).map(|_| P::counter(CAPACITY)).collect();
        fan_in::<P>(&counters, TELLS_PER_SENDER / 10).await;
        let start = Instant::now();
        let tells = fan_in::<P>(&counters, TELLS_PER_SENDER).await;
        nanos_per_item(start.elapsed(), tells)
    })
}

async fn fan_in<P: Peer>(counters: &Arc<[P::Counter]>, tells_per_sender: u64) -> u64 {
    let before = sum::<P>(counters).await;
    let tells = 8 * tells_per_sender;
    let senders: Vec<_> = (0..8)
        .map(|_| {
            let counters = counters.clone();
            P::task(async move {
                for counter in counters.iter().cycle().take(tells_per_sender as usize) {
                    P::tell(counter, 1).await;
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await;
    }
    while sum::<P>(counters).await < before + tells {}
    tells
}

async fn sum<P: Peer>(counters: &[P::Counter]) -> u64 {
    let mut sum = 0;
    for counter in counters {
        sum += P::ask(counter, 0).await;
    }
    sum
}

/// Adds so many to `sum`, the counter's; waits until that has been done, and gives the new sum.
pub async fn tell_all<P: Peer>(counter: &P::Counter, tells: u64, sum: u64) -> u64 {
    for _ in 0..tells {
        P::tell(counter, 1).await;
    }
    while P::ask(counter, 0).await < sum + tells {}
    sum + tells
}
