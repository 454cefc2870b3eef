//! Sleeps, time limits, and timers that are dropped.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::class::Class;
use crate::ledger::End;
use crate::rng::Rng;
use crate::stage::Stage;

/// Far beyond the end of a batch.
const HOUR: Duration = Duration::from_secs(3600);

pub async fn timers(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let tasks: Vec<_> = (0..stage.batch)
            .map(|_| {
                let entry = stage.begin(Class::Timer);
                let (kind, length) = (rng.below(4), Duration::from_micros(rng.below(20_000)));
                greenroom::spawn(async move {
                    let began = Instant::now();
                    match kind {
                        0 | 1 => sleep(length).await,
                        2 => assert!(timeout(length, pending::<()>()).await.is_err()),
                        _ => assert!(timeout(HOUR, sleep(length)).await.is_ok()),
                    }
                    assert!(began.elapsed() >= length, "a timer came early");
                    entry.complete();
                })
            })
            .collect();
        let late = tasks.len() / 8;
        for (index, task) in tasks.into_iter().enumerate() {
            if index < late {
                task.abort();
            }
            let result = task.await;
            assert!(index < late || result.is_ok());
            stage.ledger.told(Class::Timer, End::of(&result));
        }
    }
}
