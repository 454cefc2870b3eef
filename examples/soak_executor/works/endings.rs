//! Actors that are killed, stopped, dropped or crash while messages are on their way.

use std::sync::Arc;

use futures::future::join_all;
use greenroom::{ExitReason, yield_now};

use super::actors::{Clerk, ClerkHandle};
use crate::class::Class;
use crate::rng::Rng;
use crate::stage::Stage;

pub async fn end(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let rounds = (0..stage.batch.div_ceil(8)).map(|_| {
            let (stage, rng) = (Arc::clone(&stage), rng.fork());
            greenroom::spawn(async move { end_one(&stage, rng).await })
        });
        for round in join_all(rounds).await {
            assert!(round.is_ok());
        }
    }
}

async fn end_one(stage: &Arc<Stage>, mut rng: Rng) {
    let clerk = Clerk::new(None).spawn();
    let senders = [&stage.host, &stage.peers[0]].map(|runtime| {
        let (stage, clerk, mut rng) = (Arc::clone(stage), clerk.clone(), rng.fork());
        runtime.spawn(async move {
            for _ in 0..rng.below(40) {
                let entry = stage.begin(Class::Ending);
                // Handled, handed back or lost: its entry knows.
                match rng.below(4) {
                    0 => drop(clerk.note(entry).await),
                    1 => drop(clerk.ponder(entry, 2).await),
                    2 => drop(clerk.note(entry).try_tell()),
                    _ => drop(clerk.note(entry).tell().await),
                }
            }
        })
    });
    for _ in 0..rng.below(20) {
        yield_now().await;
    }
    let weak = clerk.downgrade();
    bring_about(stage, clerk, rng.below(4)).await;
    for sender in senders {
        assert!(sender.await.is_ok());
    }
    weak.join().await;
    assert!(weak.upgrade().is_none());
}

/// Ends the actor in one of four ways, and checks what it says.
async fn bring_about(stage: &Stage, clerk: ClerkHandle, way: u64) {
    let reason = match way {
        0 => {
            clerk.kill();
            clerk.join().await
        }
        1 => clerk.shutdown().await,
        2 => {
            let crash = clerk.crash(stage.begin(Class::Ending)).await;
            assert!(crash.is_err());
            clerk.join().await
        }
        // The senders drop the last ones.
        _ => return,
    };
    let is_right = match way {
        0 => matches!(reason, ExitReason::Killed),
        1 => matches!(reason, ExitReason::Stopped),
        _ => matches!(reason, ExitReason::Panicked(_)),
    };
    assert!(is_right, "it ended for another reason: {reason}");
}
