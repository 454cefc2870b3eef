//! Actors that live as long as their work: asked, told, and asking each other.

use std::sync::Arc;

use futures::future::join_all;
use greenroom::{actor, yield_now};

use crate::class::Class;
use crate::fault::panic_as_expected;
use crate::ledger::Entry;
use crate::rng::Rng;
use crate::stage::Stage;

/// Completes what it is given.
#[actor(mailbox = 16)]
pub struct Clerk {
    next: Option<ClerkHandle>,
    handled: u64,
}

#[actor]
impl Clerk {
    pub fn new(next: Option<ClerkHandle>) -> Self {
        Self { next, handled: 0 }
    }

    pub fn note(&mut self, entry: Entry) -> u64 {
        entry.complete();
        self.handled += 1;
        self.handled
    }

    pub async fn ponder(&mut self, entry: Entry, yields: u64) -> u64 {
        for _ in 0..yields {
            yield_now().await;
        }
        self.note(entry)
    }

    /// Has the next clerk do it.
    pub async fn pass(&mut self, entry: Entry) -> u64 {
        let Some(next) = &self.next else {
            return self.note(entry);
        };
        next.note(entry).await.unwrap_or(0)
    }

    pub fn crash(&mut self, entry: Entry) {
        let _entry = entry;
        panic_as_expected();
    }

    pub fn handled(&self) -> u64 {
        self.handled
    }
}

/// Many asks at once, of two clerks of which one asks the other.
pub async fn ask(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let last = Clerk::new(None).spawn();
        let first = Clerk::new(Some(last.clone())).spawn();
        for _ in 0..16 {
            let asks = (0..stage.batch).map(|_| {
                let (entry, kind) = (stage.begin(Class::Ask), rng.below(4));
                let (first, last) = (&first, &last);
                async move {
                    match kind {
                        0 => first.note(entry).await,
                        1 => first.pass(entry).await,
                        _ => last.ponder(entry, kind).await,
                    }
                }
            });
            for answer in join_all(asks).await {
                assert!(answer.is_ok_and(|count| count > 0), "an ask failed");
            }
            let (entry, last) = (stage.begin(Class::Ask), last.clone());
            let job = greenroom::spawn_blocking(move || last.note(entry).blocking());
            assert!(job.await.is_ok_and(|answer| answer.is_ok()));
        }
        first.shutdown().await;
        last.shutdown().await;
    }
}

/// Many tells from the host and its peers, counted by an ask at the end.
pub async fn tell(stage: Arc<Stage>, _: Rng) {
    while stage.goes_on() {
        let clerk = Clerk::new(None).spawn();
        let tellers = [&stage.host, &stage.peers[0], &stage.peers[1]].map(|runtime| {
            let (stage, clerk) = (Arc::clone(&stage), clerk.clone());
            runtime.spawn(async move {
                for _ in 0..stage.batch * 4 {
                    let told = clerk.note(stage.begin(Class::Tell)).tell().await;
                    assert!(told.is_ok(), "a tell failed");
                }
            })
        });
        for teller in tellers {
            assert!(teller.await.is_ok());
        }
        let handled = clerk.handled().await;
        assert_eq!(handled.ok(), Some(stage.batch as u64 * 12));
    }
}
