//! Subscribers that panic at any call in an inline run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use greenroom::actor;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::actor::support::{Flavor, Gate, observe, on_runtime, within};

/// Panics at its n-th call.
struct Panics {
    calls: Arc<AtomicUsize>,
    at: usize,
    ids: AtomicU64,
}

impl Panics {
    fn call(&self) {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if call == self.at && !std::thread::panicking() {
            panic!("a subscriber");
        }
    }
}

impl Subscriber for Panics {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("greenroom")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.call();
        Id::from_u64(self.ids.fetch_add(1, Ordering::SeqCst) + 1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {
        self.call();
    }
    fn event(&self, _: &Event<'_>) {
        self.call();
    }
    fn enter(&self, _: &Id) {
        self.call();
    }
    fn exit(&self, _: &Id) {
        self.call();
    }
    fn try_close(&self, _: Id) -> bool {
        self.call();
        true
    }
}

#[actor]
struct Singer;

#[actor]
impl Singer {
    #[message(inline = always)]
    fn hum(&mut self) -> u32 {
        7
    }
    #[message(inline = always)]
    async fn sing(&mut self, gate: Gate) -> u32 {
        gate.pass().await;
        8
    }
    #[message(inline = always)]
    fn fall(&mut self) {
        panic!("off the stage");
    }
}

#[test]
fn a_subscriber_that_panics_at_any_call_leaves_each_inline_ask_an_answer_and_the_actor_an_end() {
    on_runtime(Flavor::OneThread, || async {
        for at in 0..40 {
            // The spawn's own calls panic in the spawner.
            let singer = Singer.spawn();
            let calls = Arc::new(AtomicUsize::new(0));
            let subscriber = Panics {
                calls,
                at,
                ids: AtomicU64::new(0),
            };
            let guard = observe(subscriber);
            let gate = Gate::shut();
            gate.open();
            let hummed = within(singer.hum()).await;
            assert!(matches!(hummed, Ok(7) | Err(_)), "{hummed:?}");
            let sung = within(singer.sing(gate)).await;
            assert!(matches!(sung, Ok(8) | Err(_)), "{sung:?}");
            assert!(within(singer.fall()).await.is_err());
            within(singer.join()).await;
            drop(guard);
        }
    });
}
