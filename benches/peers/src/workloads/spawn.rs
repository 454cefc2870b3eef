//! Actors that come and go: each is spawned, answers one message and ends.

use std::time::Instant;

use super::CAPACITY;
use crate::peer::Peer;
use crate::stats::nanos_per_item;

const SPAWNS: u64 = 30_000;

/// Until the first message is answered.
pub fn with_first_message<P: Peer>() -> f64 {
    P::run(async {
        spawn_counters::<P>(SPAWNS / 10).await;
        let start = Instant::now();
        spawn_counters::<P>(SPAWNS).await;
        nanos_per_item(start.elapsed(), SPAWNS)
    })
}

/// Until the start hook has returned, as the answer to a first message proves.
pub fn started<P: Peer>() -> f64 {
    P::run(async {
        spawn_starters::<P>(SPAWNS / 10).await;
        let start = Instant::now();
        spawn_starters::<P>(SPAWNS).await;
        nanos_per_item(start.elapsed(), SPAWNS)
    })
}

async fn spawn_counters<P: Peer>(spawns: u64) {
    for _ in 0..spawns {
        let counter = P::counter(CAPACITY);
        assert_eq!(P::ask(&counter, 1).await, 1);
        P::end(counter);
    }
}

async fn spawn_starters<P: Peer>(spawns: u64) {
    for _ in 0..spawns {
        let starter = P::starter();
        assert!(P::is_ready(&starter).await);
        P::end_starter(starter);
    }
}
