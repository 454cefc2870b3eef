//! Code that blocks: on threads of its own, and in the middle of a task.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::mpsc;

use futures::executor::block_on;
use greenroom::yield_now;

use crate::class::Class;
use crate::fault::{Expected, panic_as_expected};
use crate::ledger::{End, Entry};
use crate::rng::Rng;
use crate::stage::Stage;

/// Jobs that compute, wait for a task, or panic.
pub async fn jobs(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let jobs: Vec<_> = (0..stage.batch.div_ceil(4))
            .map(|_| {
                let (entry, kind) = (stage.begin(Class::Blocking), rng.below(4));
                let host = stage.host.clone();
                let job = greenroom::spawn_blocking(move || run(entry, kind, &host));
                (kind, job)
            })
            .collect();
        for (kind, job) in jobs {
            let result = job.await;
            stage.ledger.told(Class::Blocking, End::of(&result));
            match result {
                Ok(()) => assert_ne!(kind, PANICS),
                Err(error) => assert!(error.into_panic().is::<Expected>()),
            }
        }
    }
}

/// The kind of jobs that panic.
const PANICS: u64 = 1;

fn run(entry: Entry, kind: u64, host: &greenroom::runtime::Handle) {
    match kind {
        0 => assert_eq!(block_on(host.spawn(async { 7 })).ok(), Some(7)),
        PANICS => {
            let _entry = entry;
            panic_as_expected();
        }
        _ => assert!(black_box((0..10_000_u64).map(black_box).sum::<u64>()) > 0),
    }
    entry.complete();
}

/// Tasks that wait, on their worker, for what they have woken and spawned.
pub async fn in_place(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let tasks: Vec<_> = (0..stage.batch.div_ceil(4))
            .map(|_| {
                let (entry, yields) = (stage.begin(Class::InPlace), rng.below(3));
                greenroom::spawn(async move {
                    let (sender, receiver) = mpsc::channel();
                    let inner = greenroom::spawn(async move {
                        for _ in 0..yields {
                            yield_now().await;
                        }
                        sender.send(yields).expect("somebody waits");
                    });
                    let got = greenroom::block_in_place(|| receiver.recv());
                    assert_eq!(got, Ok(yields));
                    assert!(inner.await.is_ok());
                    entry.complete();
                })
            })
            .collect();
        for task in tasks {
            let result = task.await;
            stage.ledger.told(Class::InPlace, End::of(&result));
            assert!(result.is_ok());
        }
    }
}
