//! Join sets: joined one by one, aborted, and dropped with tasks in them.

use std::future::pending;
use std::sync::Arc;

use greenroom::{JoinSet, yield_now};

use crate::class::Class;
use crate::ledger::End;
use crate::rng::Rng;
use crate::stage::Stage;

pub async fn sets(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let mut set = JoinSet::new();
        for _ in 0..stage.batch {
            let (entry, kind) = (stage.begin(Class::Set), rng.below(4));
            set.spawn(async move {
                match kind {
                    0 => pending().await,
                    _ => yield_now().await,
                }
                entry.complete();
            });
        }
        for _ in 0..rng.below(stage.batch as u64 / 2 + 1) {
            let result = set.join_next().await.expect("some are left");
            assert_eq!(End::of(&result), End::Completed);
        }
        match rng.below(3) {
            0 => set.shutdown().await,
            1 => {
                set.abort_all();
                while set.join_next().await.is_some() {}
            }
            // Its tasks are aborted.
            _ => drop(set),
        }
    }
}
