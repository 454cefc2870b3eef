//! What is left of worlds with actors when they are gone.

use greenroom::world::ForkActor;

use super::support::{Counter, stage};
use crate::actor::support::within;
use crate::world::support::Token;

/// Waits until only so many tokens are left.
async fn until(token: &Token, alive: usize) {
    within(async {
        while token.alive() > alive {
            greenroom::yield_now().await;
        }
    })
    .await;
    assert_eq!(token.alive(), alive);
}

#[greenroom::test(flavor = "multi_thread", worker_threads = 2)]
async fn forks_that_are_discarded_leave_nothing() {
    let token = Token::new();
    let stage = stage();
    let counters: Vec<_> = (0..50)
        .map(|_| Counter::with(&token).spawn_in(&stage))
        .collect();
    drop(stage.quiesce().await);
    let alive = token.alive();
    for round in 0..100 {
        let fork = stage.fork().await;
        for k in 0..5 {
            let counter = counters[(round * 7 + k) % 50].within(&fork);
            assert_eq!(counter.add(1).await.expect("it lives"), 1);
        }
    }
    until(&token, alive).await;
    drop((stage, counters));
    until(&token, 1).await;
}

#[greenroom::test]
async fn a_chain_of_forks_keeps_no_world_but_the_last() {
    let token = Token::new();
    let mut stage = stage();
    let counter = Counter::with(&token).spawn_in(&stage);
    for n in 1..=200 {
        let next = stage.fork().await;
        assert_eq!(counter.within(&next).add(1).await.expect("it lives"), n);
        stage = next;
    }
    // In the world, in what was saved of it, and in the actor.
    until(&token, 3).await;
    drop(stage);
    until(&token, 1).await;
}
