//! Panics in polls, and in the drops of futures and of outputs.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use greenroom::yield_now;
use tokio::sync::oneshot;

use crate::class::Class;
use crate::fault::{Expected, panic_as_expected};
use crate::ledger::{End, Entry};
use crate::rng::Rng;
use crate::stage::Stage;

/// Panics when it is dropped.
struct Grenade {
    entry: Option<Entry>,
    _heard: Option<oneshot::Sender<()>>,
}

impl Grenade {
    fn new(entry: Entry) -> Self {
        Self {
            entry: Some(entry),
            _heard: None,
        }
    }
}

impl Drop for Grenade {
    fn drop(&mut self) {
        // Dropped while the panic is under way.
        let _entry = self.entry.take();
        panic_as_expected()
    }
}

fn check(stage: &Stage, class: Class, result: Result<(), greenroom::JoinError>) {
    stage.ledger.told(class, End::of(&result));
    let payload = result.map_err(greenroom::JoinError::into_panic);
    assert!(payload.is_err_and(|payload| payload.is::<Expected>()));
}

pub async fn in_polls(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let tasks: Vec<_> = (0..stage.batch.div_ceil(4))
            .map(|_| {
                let (entry, yields) = (stage.begin(Class::PollPanic), rng.below(3));
                greenroom::spawn(async move {
                    let _entry = entry;
                    for _ in 0..yields {
                        yield_now().await;
                    }
                    panic_as_expected();
                })
            })
            .collect();
        for task in tasks {
            check(&stage, Class::PollPanic, task.await);
        }
    }
}

/// Futures that end or are aborted, and panic when they are dropped.
pub async fn in_drops(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let tasks: Vec<_> = (0..stage.batch.div_ceil(4))
            .map(|_| {
                let grenade = Grenade::new(stage.begin(Class::DropPanic));
                if rng.below(2) == 0 {
                    greenroom::spawn(poll_fn(move |_| {
                        let _ = &grenade;
                        Poll::Ready(())
                    }))
                } else {
                    let task = greenroom::spawn(async move {
                        let _grenade = grenade;
                        pending().await
                    });
                    task.abort();
                    task
                }
            })
            .collect();
        for task in tasks {
            check(&stage, Class::DropPanic, task.await);
        }
    }
}

/// Outputs that nobody takes, and that panic when they are dropped.
pub async fn in_outputs(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let mut gone = Vec::new();
        for _ in 0..stage.batch.div_ceil(4) {
            let (heard, is_gone) = oneshot::channel();
            let grenade = Grenade {
                entry: Some(stage.begin(Class::OutputPanic)),
                _heard: Some(heard),
            };
            let task = greenroom::spawn(async move { grenade });
            if rng.below(2) == 0 {
                yield_now().await;
            }
            drop(task);
            gone.push(is_gone);
        }
        for is_gone in gone {
            assert!(is_gone.await.is_err(), "nobody sends");
        }
    }
}
