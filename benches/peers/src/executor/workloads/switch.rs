//! Tasks that give way to each other.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot};

use super::time;
use crate::countdown::Countdown;
use crate::executor::peer::{Executor, run};
use crate::stats::nanos_per_item;

/// 200 tasks that yield: per yield.
pub fn yield_many<E: Executor>() -> f64 {
    const TASKS: u64 = 200;
    const YIELDS: u64 = 1_000;
    let runtime = E::start();
    let done = Arc::new(Countdown::default());
    time(20, TASKS * YIELDS, || {
        done.expect(TASKS as usize);
        for _ in 0..TASKS {
            let done = done.clone();
            E::detach(E::spawn_on(&runtime, async move {
                for _ in 0..YIELDS {
                    E::yield_now().await;
                }
                done.arrive();
            }));
        }
        E::block_on(&runtime, done.wait());
    })
}

/// Pairs of tasks that exchange one message each way: two spawns and two channels per item.
pub fn ping_pong<E: Executor>() -> f64 {
    const PAIRS: u64 = 1_000;
    let runtime = E::start();
    let done = Arc::new(Countdown::default());
    time(200, PAIRS, || {
        E::block_on(&runtime, async {
            done.expect(PAIRS as usize);
            let each = done.clone();
            E::detach(E::spawn(async move {
                for _ in 0..PAIRS {
                    E::detach(E::spawn(ping::<E>(each.clone())));
                }
            }));
            done.wait().await;
        });
    })
}

async fn ping<E: Executor>(done: Arc<Countdown>) {
    let (ping, pinged) = oneshot::channel();
    let (pong, ponged) = oneshot::channel();
    E::detach(E::spawn(async move {
        pinged.await.expect("the ping is sent");
        pong.send(()).expect("the pong is waited for");
    }));
    ping.send(()).expect("the ping is waited for");
    ponged.await.expect("the pong is sent");
    done.arrive();
}

/// Two tasks and two unbounded channels of tokio's, which need no runtime: per round trip.
pub fn channel_ping_pong<E: Executor>() -> f64 {
    const ROUND_TRIPS: u64 = 500_000;
    run::<E, _>(async {
        let (ping, mut pinged) = mpsc::unbounded_channel();
        let (pong, mut ponged) = mpsc::unbounded_channel();
        E::detach(E::spawn(async move {
            while let Some(n) = pinged.recv().await {
                if pong.send(n).is_err() {
                    return;
                }
            }
        }));
        let mut start = Instant::now();
        for n in 0..ROUND_TRIPS + ROUND_TRIPS / 5 {
            if n == ROUND_TRIPS / 5 {
                start = Instant::now();
            }
            ping.send(n).expect("the other task lives");
            assert_eq!(ponged.recv().await, Some(n));
        }
        nanos_per_item(start.elapsed(), ROUND_TRIPS)
    })
}
