//! Resident memory per actor, its handle included. All actors have worked and are idle.

use super::CAPACITY;
use crate::machine::resident_bytes;
use crate::peer::Peer;

/// Actors that are not measured: they make the runtime and the allocator ready.
const WARM_UP: usize = 500;

/// After one small message.
pub fn idle<P: Peer>() -> f64 {
    const ACTORS: usize = 20_000;
    P::run(async {
        let warm_up = counters::<P>(WARM_UP).await;
        let before = resident_bytes();
        let actors = counters::<P>(ACTORS).await;
        let bytes = resident_bytes().saturating_sub(before);
        drop((warm_up, actors));
        bytes as f64 / ACTORS as f64
    })
}

/// After a handler future of 8 KiB that suspended, went on and ended.
pub fn after_big_future<P: Peer>() -> f64 {
    const ACTORS: usize = 5_000;
    P::run(async {
        let warm_up = giants::<P>(WARM_UP).await;
        let before = resident_bytes();
        let actors = giants::<P>(ACTORS).await;
        let bytes = resident_bytes().saturating_sub(before);
        drop((warm_up, actors));
        bytes as f64 / ACTORS as f64
    })
}

async fn counters<P: Peer>(actors: usize) -> Vec<P::Counter> {
    let counters: Vec<_> = (0..actors).map(|_| P::counter(CAPACITY)).collect();
    for counter in &counters {
        P::ask(counter, 1).await;
    }
    counters
}

async fn giants<P: Peer>(actors: usize) -> Vec<P::Giant> {
    let giants: Vec<_> = (0..actors).map(|_| P::giant()).collect();
    for giant in &giants {
        P::suspend(giant).await;
    }
    giants
}
