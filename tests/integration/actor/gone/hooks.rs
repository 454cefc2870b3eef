//! Who hears of messages that were not delivered.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};

use greenroom::limits::UNDELIVERED_DEPTH;
use greenroom::runtime::Metrics;
use greenroom::{Builder, ExitReason, Handle, Runtime, Undelivered, UndeliveredReason, actor};

use crate::actor::clerk::{Clerk, ClerkFile, ClerkHandle};
use crate::actor::support::{BUSY, Flavor, Gate, Ledger, Note, on_each_runtime, within};

/// A clerk that is busy until the gate opens, and what is not delivered to it.
pub(super) async fn heard_clerk(
    slots: usize,
    note: Note,
) -> (ClerkHandle, Gate, Receiver<Undelivered>) {
    let (lost, letters) = channel();
    let clerk = Builder::new(Clerk)
        .mailbox(slots)
        .on_undelivered(move |letter| lost.send(letter).expect("the test listens"))
        .spawn();
    let gate = Gate::shut();
    let held = clerk.hold(note, gate.clone()).tell().await;
    held.expect("accepted");
    gate.reached().await;
    (clerk, gate, letters)
}

fn metrics() -> Metrics {
    greenroom::runtime::Handle::current().metrics()
}

/// Tells one message to an actor whose own hook notes it, and kills that.
async fn lose_one(builder: Builder<Clerk>, note: Note) {
    let clerk = builder.spawn();
    clerk.file(note).tell().await.unwrap();
    clerk.kill();
    within(clerk.join()).await;
}

#[test]
fn the_observer_hears_before_the_actors_hook_and_both_of_the_same_message() {
    let ledger = Ledger::default();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (by_observer, by_hook) = (Arc::clone(&heard), Arc::clone(&heard));
    let runtime = Runtime::builder()
        .current_thread()
        .on_undelivered(move |letter| {
            let file = letter.downcast_ref::<ClerkFile>().expect("a `ClerkFile`");
            by_observer.lock().unwrap().push(("observer", file.note.id));
        })
        .build()
        .unwrap();
    let builder = Builder::new(Clerk).on_undelivered(move |letter| {
        let file = letter.downcast::<ClerkFile>().expect("a `ClerkFile`");
        by_hook.lock().unwrap().push(("hook", file.note.id));
        file.note.reported();
    });
    let note = ledger.note(0, 7);
    let id = note.id;
    runtime.block_on(lose_one(builder, note));
    assert_eq!(*heard.lock().unwrap(), [("observer", id), ("hook", id)]);
    assert_eq!(ledger.settle().reported, 1);
    assert_eq!(runtime.metrics().undelivered.ended, 1);
}

#[test]
fn an_observer_of_an_attached_scheduler_hears_as_one_of_a_built_runtime() {
    let host = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (lost, letters) = channel();
    let options = Runtime::builder().on_undelivered(move |letter| {
        lost.send(letter.to_string()).expect("the test listens");
    });
    options.attach(host.handle()).unwrap();
    host.block_on(lose_one(Builder::new(Clerk), Ledger::default().single()));
    let text = letters.try_recv().expect("it was lost");
    assert!(text.starts_with("Clerk#"), "{text}");
    assert!(text.ends_with("ClerkFile: it was killed"), "{text}");
}

/// Its type's hook notes what it gets.
#[actor]
struct Typed;

#[actor]
impl Typed {
    fn file(&mut self, note: Note) {
        note.handled();
    }

    #[on(undelivered)]
    fn lost(letter: Undelivered) {
        match letter.downcast::<TypedFile>() {
            Ok(file) => file.note.reported(),
            Err(letter) => panic!("{letter}"),
        }
    }
}

#[tokio::test]
async fn the_types_own_hook_gets_what_is_not_delivered() {
    let ledger = Ledger::default();
    let typed = Typed.spawn();
    typed.file(ledger.note(0, 0)).tell().await.unwrap();
    typed.kill();
    within(typed.join()).await;
    assert_eq!(ledger.settle().reported, 1);
}

#[tokio::test]
async fn a_hook_given_at_spawn_stands_in_for_the_types_own() {
    let ledger = Ledger::default();
    let (lost, letters) = channel();
    let typed = Builder::new(Typed)
        .on_undelivered(move |letter| lost.send(letter).expect("the test listens"))
        .spawn();
    typed.file(ledger.note(0, 0)).tell().await.unwrap();
    typed.kill();
    within(typed.join()).await;
    assert_eq!(ledger.tally().reported, 0);
    let letter = letters.try_recv().unwrap();
    assert!(letter.is::<TypedFile>() && !letter.is::<ClerkFile>());
    assert_eq!(letter.message_type(), std::any::type_name::<TypedFile>());
    assert_eq!(letter.actor().id(), typed.id());
    assert!(matches!(
        letter.reason(),
        UndeliveredReason::Ended(ExitReason::Killed)
    ));
    let letter = letter.downcast::<ClerkFile>().err().expect("a `TypedFile`");
    letter.downcast::<TypedFile>().unwrap().note.reported();
    assert_eq!(ledger.settle().reported, 1);
}

#[test]
fn hooks_that_panic_keep_no_message_from_being_counted_and_no_actor_from_its_end() {
    for flavor in Flavor::ALL {
        let runtime = match flavor {
            Flavor::OneThread => Runtime::builder().current_thread(),
            Flavor::TwoWorkers => Runtime::builder().worker_threads(2),
        };
        let runtime = runtime.on_undelivered(|letter| panic!("{letter}")).build();
        let runtime = runtime.unwrap();
        runtime.block_on(async {
            let ledger = Ledger::default();
            let builder = Builder::new(Clerk).on_undelivered(|letter| {
                let file = letter.downcast::<ClerkFile>().expect("a `ClerkFile`");
                file.note.reported();
                panic!("once more");
            });
            let clerk = builder.mailbox(8).spawn();
            let gate = Gate::shut();
            let held = clerk.hold(ledger.note(BUSY, 0), gate.clone());
            held.tell().await.unwrap();
            gate.reached().await;
            for index in 0..8 {
                clerk.file(ledger.note(0, index)).tell().await.unwrap();
            }
            clerk.kill();
            assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
            assert_eq!(ledger.settle().reported, 8);
            assert_eq!(metrics().undelivered.ended, 8);
        });
    }
}

#[tokio::test]
async fn a_message_without_a_hook_is_counted_and_dropped() {
    let ledger = Ledger::default();
    lose_one(Builder::new(Clerk), ledger.note(0, 0)).await;
    assert_eq!(ledger.settle().discarded, 1);
    assert_eq!(metrics().undelivered.ended, 1);
}

#[tokio::test]
async fn a_hook_may_send_what_it_gets_to_another_actor() {
    let ledger = Ledger::default();
    let heir = Clerk.spawn();
    let to = heir.clone();
    let builder = Builder::new(Clerk).on_undelivered(move |letter| {
        let file = letter.downcast::<ClerkFile>().expect("a `ClerkFile`");
        let sent = Handle::try_tell(&to, file);
        sent.expect("a free slot");
    });
    lose_one(builder, ledger.note(0, 0)).await;
    within(heir.ping()).await.unwrap();
    assert_eq!(ledger.settle().handled, 1);
}

#[test]
fn a_hook_whose_own_messages_are_lost_as_well_is_not_run_inside_itself_without_end() {
    on_each_runtime(|| async {
        let own: Arc<OnceLock<BoardHandle>> = Arc::default();
        let told = Arc::new(AtomicU32::new(0));
        let (hooks, hooks_told) = (Arc::clone(&own), Arc::clone(&told));
        let board = Builder::new(Board)
            .mailbox(1)
            .on_undelivered(move |_| {
                hooks_told.fetch_add(1, Ordering::Relaxed);
                if let Some(board) = hooks.get() {
                    board.pin().try_tell().unwrap();
                }
            })
            .spawn();
        let gate = Gate::shut();
        board.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        assert!(own.set(board.clone()).is_ok());
        board.pin().try_tell().unwrap();
        for lost in 1..=3 {
            board.pin().try_tell().unwrap();
            assert_eq!(told.load(Ordering::Relaxed), lost * UNDELIVERED_DEPTH);
        }
        gate.open();
    });
}

/// Has room for one pin.
#[actor]
struct Board;

#[actor]
impl Board {
    #[message(overflow = drop_newest)]
    fn pin(&mut self) {}

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}
