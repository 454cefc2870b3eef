//! Code of users that runs on a message's way through a mailbox: hashes, weights, drops.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use greenroom::actor;

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, poll_once, within};

/// What it does when it is dropped.
enum Part {
    Nothing,
    Panic,
    /// Tells the same actor.
    Tell(ShelfHandle),
}

struct Thing {
    part: Part,
    drops: Arc<AtomicUsize>,
}

impl Drop for Thing {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        match &self.part {
            Part::Nothing => {}
            Part::Panic => panic!("the drop of a message"),
            Part::Tell(shelf) => {
                let drops = Arc::clone(&self.drops);
                let part = Part::Nothing;
                let _ = shelf.put(Thing { part, drops }).try_tell();
            }
        }
    }
}

/// A key whose hash panics once.
struct Fickle(Arc<AtomicUsize>);

impl Hash for Fickle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        assert_ne!(
            self.0.fetch_add(1, Ordering::Relaxed),
            0,
            "the hash of a key"
        );
        7_u8.hash(state);
    }
}

#[actor(mailbox = 2)]
struct Shelf;

#[actor]
impl Shelf {
    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    #[message(overflow = drop_oldest)]
    fn put(&mut self, thing: Thing) {
        drop(thing);
    }

    #[message(overflow = latest(key))]
    fn keyed(&mut self, key: Fickle) {
        drop(key);
    }

    #[message(lane = background)]
    fn rest(&mut self) {}
}

async fn busy() -> (ShelfHandle, Gate) {
    let (shelf, gate) = (Shelf.spawn(), Gate::shut());
    shelf.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    (shelf, gate)
}

#[test]
fn field_24_a_dropped_message_whose_drop_panics_hurts_neither_its_sender_nor_the_others() {
    on_each_runtime(|| async {
        let (shelf, gate) = busy().await;
        let drops = Arc::new(AtomicUsize::new(0));
        let thing = |part| Thing {
            part,
            drops: Arc::clone(&drops),
        };
        shelf.put(thing(Part::Panic)).tell().await.unwrap();
        for _ in 0..10 {
            shelf.put(thing(Part::Nothing)).tell().await.unwrap();
        }
        assert_eq!(drops.load(Ordering::Relaxed), 9);
        gate.open();
        within(shelf.rest()).await.unwrap();
        assert_eq!(drops.load(Ordering::Relaxed), 11);
        assert_at_rest(&shelf);
    });
}

#[test]
fn field_25_a_dropped_message_may_tell_the_actor_that_dropped_it() {
    on_each_runtime(|| async {
        let (shelf, gate) = busy().await;
        let drops = Arc::new(AtomicUsize::new(0));
        let thing = |part| Thing {
            part,
            drops: Arc::clone(&drops),
        };
        for _ in 0..5 {
            shelf
                .put(thing(Part::Tell(shelf.clone())))
                .tell()
                .await
                .unwrap();
        }
        gate.open();
        within(shelf.rest()).await.unwrap();
        within(shelf.rest()).await.unwrap();
        assert_at_rest(&shelf);
    });
}

#[test]
fn a_key_whose_hash_panics_is_its_senders_affair_and_can_be_sent_again() {
    on_each_runtime(|| async {
        let (shelf, gate) = busy().await;
        let hashes = Arc::new(AtomicUsize::new(0));
        let mut send = Box::pin(shelf.keyed(Fickle(Arc::clone(&hashes))).tell());
        let first = std::panic::AssertUnwindSafe(poll_once(&mut send));
        assert!(first.catch_unwind().await.is_err());
        assert_eq!(shelf.mailbox().used, 0);
        within(send).await.unwrap();
        assert_eq!(shelf.mailbox().used, 1);
        gate.open();
        within(shelf.rest()).await.unwrap();
        assert_at_rest(&shelf);
    });
}
