//! Subscribers of spans and events are user code, which runs in the middle of an activation.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use greenroom::{Builder, actor};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

use crate::actor::support::{Flavor, assert_at_rest, observe, on_thread, within};
use crate::alone::alone;

/// Where a subscriber is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Event,
    Enter,
    Exit,
    NewSpan,
    Enabled,
    Close,
}

const PLACES: [Place; 4] = [Place::Event, Place::Enter, Place::Exit, Place::NewSpan];

/// The target of an actor's span, and of its events.
const ACTOR: &str = "greenroom::actor";
/// The target of a message's span.
const MESSAGE: &str = "greenroom::message";

/// Panics at one of its places, for one target, as long as it is armed.
#[derive(Clone)]
struct Saboteur {
    place: Place,
    target: &'static str,
    armed: Arc<AtomicBool>,
    blasts: Arc<AtomicUsize>,
    /// The targets of all spans.
    spans: Arc<Mutex<Vec<&'static str>>>,
}

impl Saboteur {
    fn at(place: Place, target: &'static str) -> Self {
        Self {
            place,
            target,
            armed: Arc::default(),
            blasts: Arc::default(),
            spans: Arc::default(),
        }
    }

    fn arm(&self, armed: bool) {
        self.armed.store(armed, Ordering::SeqCst);
    }

    fn blasts(&self) -> usize {
        self.blasts.load(Ordering::SeqCst)
    }

    fn pass(&self, place: Place, target: &str) {
        let here = place == self.place && target == self.target;
        if here && self.armed.load(Ordering::SeqCst) {
            self.blasts.fetch_add(1, Ordering::SeqCst);
            panic!("a subscriber that panics: {place:?} {target}");
        }
    }

    fn target_of(&self, id: &Id) -> &'static str {
        self.spans.lock().unwrap()[index(id)]
    }
}

fn index(id: &Id) -> usize {
    id.into_u64() as usize - 1
}

impl Subscriber for Saboteur {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.pass(Place::Enabled, metadata.target());
        metadata.target() == ACTOR || metadata.target() == self.target
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let target = attributes.metadata().target();
        self.pass(Place::NewSpan, target);
        let mut spans = self.spans.lock().unwrap();
        spans.push(target);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.pass(Place::Event, event.metadata().target());
    }

    fn enter(&self, id: &Id) {
        self.pass(Place::Enter, self.target_of(id));
    }

    fn exit(&self, id: &Id) {
        self.pass(Place::Exit, self.target_of(id));
    }

    fn try_close(&self, id: Id) -> bool {
        self.pass(Place::Close, self.target_of(&id));
        true
    }
}

#[actor]
struct Singer {
    parting: Arc<AtomicUsize>,
}

impl Drop for Singer {
    fn drop(&mut self) {
        self.parting.fetch_add(1, Ordering::SeqCst);
    }
}

#[actor]
impl Singer {
    fn hum(&mut self) {}

    async fn sing(&mut self) {
        tokio::task::yield_now().await;
    }

    async fn forget(&mut self) -> Result<(), String> {
        Err("the words".to_owned())
    }

    fn fall(&mut self) {
        panic!("off the stage");
    }
}

fn singer() -> (SingerHandle, Arc<AtomicUsize>) {
    let parting = Arc::<AtomicUsize>::default();
    let state = Singer {
        parting: Arc::clone(&parting),
    };
    (Builder::new(state).spawn(), parting)
}

thread_local! {
    static GUARD: RefCell<Option<DefaultGuard>> = const { RefCell::new(None) };
}

/// Runs a test with this subscriber on all threads of a runtime, which then shuts down.
fn sabotaged<F: Future<Output = ()>>(
    place: Place,
    target: &'static str,
    test: impl Fn(Saboteur) -> F + Clone + Send + 'static,
) {
    for flavor in Flavor::ALL {
        if place == Place::Enabled && flavor == Flavor::TwoWorkers {
            // It panics under a lock of tracing's, which a thread that starts later would need.
            continue;
        }
        let test = test.clone();
        on_thread(move || {
            let saboteur = Saboteur::at(place, target);
            let _guard = observe(saboteur.clone());
            let mut builder = match flavor {
                Flavor::OneThread => tokio::runtime::Builder::new_current_thread(),
                Flavor::TwoWorkers => tokio::runtime::Builder::new_multi_thread(),
            };
            if flavor == Flavor::TwoWorkers {
                let saboteur = saboteur.clone();
                builder.worker_threads(2);
                builder.on_thread_start(move || {
                    GUARD.set(Some(observe(saboteur.clone())));
                });
                builder.on_thread_stop(|| drop(GUARD.take()));
            }
            let host = builder.enable_all().build().unwrap();
            host.block_on(test(saboteur));
            drop(host);
        });
    }
}

/// What an actor does while its subscriber panics.
async fn perform(place: Place, singer: &SingerHandle, turn: usize) {
    let asked = match turn {
        0 => within(singer.hum()).await.is_ok(),
        1 => within(singer.sing()).await.is_ok(),
        2 => within(singer.forget()).await.is_ok(),
        // The panic of a handler leaves the span by its unwinding.
        _ if place == Place::Exit || place == Place::Close => return,
        _ => within(singer.fall()).await.is_ok(),
    };
    assert!(!asked || turn < 2);
}

/// The actor at hand may end; all else goes on.
fn one_ends_at_most(place: Place, target: &'static str) {
    sabotaged(place, target, move |saboteur| async move {
        for turn in 0..4 {
            let ((singer, parting), (other, _)) = (self::singer(), self::singer());
            saboteur.arm(true);
            perform(place, &singer, turn).await;
            let told = singer.forget().try_tell();
            drop(told);
            singer.stop();
            within(singer.join()).await;
            saboteur.arm(false);
            assert_eq!(parting.load(Ordering::SeqCst), 1);
            assert_at_rest(&singer);
            within(other.hum()).await.unwrap();
            within(greenroom::spawn(async {})).await.unwrap();
        }
        // The actors were spawned while it was not armed.
        assert!(saboteur.blasts() > 0 || (place, target) == (Place::NewSpan, ACTOR));
    });
}

#[test]
fn a_subscriber_that_panics_in_the_span_of_an_actor_ends_that_actor_at_most() {
    for place in PLACES {
        one_ends_at_most(place, ACTOR);
    }
}

#[test]
fn a_subscriber_that_panics_as_the_span_of_a_message_is_left_ends_its_actor_at_most() {
    one_ends_at_most(Place::Exit, MESSAGE);
}

#[test]
fn a_subscriber_that_panics_at_an_event_ends_no_actor() {
    sabotaged(Place::Event, ACTOR, |saboteur| async move {
        let (singer, _) = singer();
        saboteur.arm(true);
        singer.forget().tell().await.unwrap();
        within(singer.hum()).await.unwrap();
        assert_eq!(saboteur.blasts(), 1);
        saboteur.arm(false);
        assert_at_rest(&singer);
        assert!(!singer.is_stopped());
    });
}

#[test]
fn a_subscriber_that_panics_as_an_actor_is_spawned_panics_in_the_spawner_alone() {
    sabotaged(Place::NewSpan, ACTOR, |saboteur| async move {
        let parting = Arc::<AtomicUsize>::default();
        let state = Singer {
            parting: Arc::clone(&parting),
        };
        saboteur.arm(true);
        let spawned = catch_unwind(AssertUnwindSafe(|| state.spawn()));
        saboteur.arm(false);
        assert!(spawned.is_err());
        assert_eq!(parting.load(Ordering::SeqCst), 1);
        let (other, _) = singer();
        within(other.hum()).await.unwrap();
    });
}

#[test]
fn a_subscriber_that_panics_as_the_span_of_a_message_is_made_ends_its_actor_at_most() {
    one_ends_at_most(Place::NewSpan, MESSAGE);
}

#[test]
fn a_subscriber_that_panics_as_the_span_of_a_message_is_entered_ends_its_actor_at_most() {
    one_ends_at_most(Place::Enter, MESSAGE);
}

/// Has a handler panic in a process of its own, in which a subscriber then panics too.
fn panic_twice(test: &str, place: Place, target: &'static str) {
    let name = format!("actor::soundness::subscribers::{test}");
    alone(&name, || {
        sabotaged(place, target, |saboteur| async move {
            let (singer, _) = singer();
            saboteur.arm(true);
            within(singer.fall()).await.unwrap_err();
            within(singer.join()).await;
            saboteur.arm(false);
            assert!(saboteur.blasts() > 0);
        });
    });
}

#[test]
fn a_subscriber_that_panics_as_a_handlers_panic_leaves_its_span_does_not_abort() {
    let name = "a_subscriber_that_panics_as_a_handlers_panic_leaves_its_span_does_not_abort";
    panic_twice(name, Place::Exit, ACTOR);
}

#[test]
fn a_subscriber_that_panics_as_the_span_of_a_message_is_closed_ends_its_actor_at_most() {
    one_ends_at_most(Place::Close, MESSAGE);
}

#[test]
fn a_subscriber_that_panics_when_it_is_asked_about_a_message_ends_its_actor_at_most() {
    // It panics under a lock of tracing's, which is of no use to other tests afterwards.
    let name = "actor::soundness::subscribers::\
                a_subscriber_that_panics_when_it_is_asked_about_a_message_ends_its_actor_at_most";
    alone(name, || one_ends_at_most(Place::Enabled, MESSAGE));
}

#[test]
fn a_subscriber_that_panics_as_a_handlers_panic_closes_its_span_does_not_abort() {
    let name = "a_subscriber_that_panics_as_a_handlers_panic_closes_its_span_does_not_abort";
    panic_twice(name, Place::Close, MESSAGE);
}
