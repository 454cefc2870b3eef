//! Tasks that are aborted: before, between and during polls, from tasks and threads.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use greenroom::{AbortHandle, JoinHandle, yield_now};

use crate::class::Class;
use crate::ledger::End;
use crate::rng::Rng;
use crate::stage::Stage;

/// Says when it is dropped.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

pub async fn abort(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let tasks: Vec<_> = (0..stage.batch)
            .map(|_| spawn_one(&stage, &mut rng))
            .collect();
        for (task, _) in &tasks {
            abort_one(task.abort_handle(), &mut rng).await;
        }
        for (task, gone) in tasks {
            let result = task.await;
            assert!(
                gone.load(Ordering::SeqCst),
                "joined before the future was dropped"
            );
            stage.ledger.told(Class::Abort, End::of(&result));
        }
    }
}

fn spawn_one(stage: &Stage, rng: &mut Rng) -> (JoinHandle<()>, Arc<AtomicBool>) {
    let gone = Arc::new(AtomicBool::new(false));
    let guard = Gone(Arc::clone(&gone));
    let (entry, kind, mut rng) = (stage.begin(Class::Abort), rng.below(4), rng.fork());
    let task = greenroom::spawn(async move {
        let _guard = guard;
        match kind {
            0 => pending().await,
            1 => loop {
                yield_now().await;
            },
            2 => tokio::time::sleep(Duration::from_micros(rng.below(5_000))).await,
            _ => yield_now().await,
        }
        entry.complete();
    });
    (task, gone)
}

async fn abort_one(task: AbortHandle, rng: &mut Rng) {
    match rng.below(8) {
        0 => yield_now().await,
        1 => {
            let job = tokio::task::spawn_blocking(move || task.abort());
            drop(job);
            return;
        }
        2 => {
            drop(tokio::spawn(async move { task.abort() }));
            return;
        }
        3 => task.abort(),
        _ => {}
    }
    task.abort();
}
