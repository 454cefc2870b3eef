//! Allocations per operation in the steady state, of all threads together.

use std::time::Duration;

use super::{CAPACITY, ask::ask_all, tell::tell_all};
use crate::allocations;
use crate::peer::Peer;

const OPERATIONS: u64 = 50_000;

pub fn per_tell<P: Peer>() -> f64 {
    P::run(async {
        let counter = P::counter(CAPACITY);
        let sum = tell_all::<P>(&counter, OPERATIONS, 0).await;
        allocations::enable();
        tell_all::<P>(&counter, OPERATIONS, sum).await;
        allocations::count() as f64 / OPERATIONS as f64
    })
}

pub fn per_ask<P: Peer>() -> f64 {
    P::run(async {
        let counter = P::counter(CAPACITY);
        ask_all::<P>(&counter, OPERATIONS).await;
        allocations::enable();
        ask_all::<P>(&counter, OPERATIONS).await;
        allocations::count() as f64 / OPERATIONS as f64
    })
}

/// Of an actor that waits for its first message.
pub fn per_spawn<P: Peer>() -> f64 {
    const ACTORS: u64 = 1_000;
    P::run(async {
        let mut actors = Vec::with_capacity(2 * ACTORS as usize);
        actors.extend((0..ACTORS).map(|_| P::counter(CAPACITY)));
        settle().await;
        allocations::enable();
        actors.extend((0..ACTORS).map(|_| P::counter(CAPACITY)));
        settle().await;
        allocations::count() as f64 / ACTORS as f64
    })
}

/// Lets what the spawns set going come to rest; a message would allocate, too.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}
