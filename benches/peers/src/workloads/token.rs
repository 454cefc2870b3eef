//! Tokens that go round in rings of actors; a ring of two is a ping-pong.

use std::sync::Arc;
use std::time::Instant;

use crate::countdown::Countdown;
use crate::peer::Peer;
use crate::stats::nanos_per_item;

/// `RINGS` rings of `LENGTH` actors with one token each: the time of a pass from actor to actor.
pub fn rings<P: Peer, const RINGS: usize, const LENGTH: usize>() -> f64 {
    const PASSES: u64 = 400_000;
    P::run(async {
        let done = Arc::new(Countdown::default());
        let mut heads = Vec::with_capacity(RINGS);
        for _ in 0..RINGS {
            heads.push(ring::<P, LENGTH>(&done).await);
        }
        go_round::<P>(&heads, &done, PASSES / 10).await;
        let start = Instant::now();
        let passes = go_round::<P>(&heads, &done, PASSES).await;
        nanos_per_item(start.elapsed(), passes)
    })
}

async fn ring<P: Peer, const LENGTH: usize>(done: &Arc<Countdown>) -> P::Relay {
    let relays: [P::Relay; LENGTH] = std::array::from_fn(|_| P::relay(done.clone()));
    for (index, relay) in relays.iter().enumerate() {
        P::link(relay, relays[(index + 1) % LENGTH].clone()).await;
    }
    relays[0].clone()
}

/// Sends a token into each ring and waits for the end of all; gives the passes of all together.
async fn go_round<P: Peer>(heads: &[P::Relay], done: &Countdown, passes: u64) -> u64 {
    let passes_per_ring = passes / heads.len() as u64;
    done.expect(heads.len());
    for head in heads {
        P::pass(head, passes_per_ring).await;
    }
    done.wait().await;
    passes_per_ring * heads.len() as u64
}
