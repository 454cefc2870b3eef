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
        let mut ends = 0;
        for _ in 0..stage.batch {
            let (entry, is_endless) = (stage.begin(Class::Set), rng.below(4) == 0);
            ends += u64::from(!is_endless);
            set.spawn(async move {
                if is_endless {
                    pending::<()>().await;
                }
                yield_now().await;
                entry.complete();
            });
        }
        for _ in 0..rng.below(ends + 1) {
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
