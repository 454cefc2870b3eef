//! Messages to one actor after another, among so many: with more of them fewer lie in a cache.

use std::sync::Arc;
use std::time::Instant;

use super::{Counts, Crowd, crowd};
use crate::stats::nanos_per_item;

const MESSAGES: usize = 400_000;
/// From an actor to the next; it shares no factor with their numbers, so each has its turn.
const STRIDE: usize = 7_919;

pub fn ask<P: Crowd, const ACTORS: usize>() -> f64 {
    P::run(async {
        let crowd = crowd::<P>(&Arc::default(), ACTORS).await;
        ask_some::<P>(&crowd, MESSAGES / 10).await;
        let start = Instant::now();
        ask_some::<P>(&crowd, MESSAGES).await;
        nanos_per_item(start.elapsed(), MESSAGES as u64)
    })
}

pub fn tell<P: Crowd, const ACTORS: usize>() -> f64 {
    P::run(async {
        let counts = Arc::<Counts>::default();
        let crowd = crowd::<P>(&counts, ACTORS).await;
        tell_some::<P>(&counts, &crowd, MESSAGES / 10).await;
        let start = Instant::now();
        tell_some::<P>(&counts, &crowd, MESSAGES).await;
        nanos_per_item(start.elapsed(), MESSAGES as u64)
    })
}

async fn ask_some<P: Crowd>(crowd: &[P::Member], messages: usize) {
    for turn in 0..messages {
        P::ping(&crowd[turn * STRIDE % crowd.len()]).await;
    }
}

async fn tell_some<P: Crowd>(counts: &Counts, crowd: &[P::Member], messages: usize) {
    counts.posts.expect(messages);
    for turn in 0..messages {
        P::post(&crowd[turn * STRIDE % crowd.len()]).await;
    }
    counts.posts.wait().await;
}
