//! However a message comes, its handler runs to the end; and what an ask leaves behind is nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use greenroom::{Builder, Recipient};
use tracing::Level;

use super::skip::{DeskHandle, Mine, busy_desk};
use crate::actor::clerk::{Clerk, ClerkDefer, clerk};
use crate::actor::support::{
    BUSY, Flavor, Gate, Ledger, assert_at_rest, observe, on_each_runtime, on_runtime, poll_once,
    within,
};
use crate::actor::tracing::Recorder;

#[test]
fn a_handler_runs_to_its_end_however_its_message_came_and_whoever_waits() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(8));
        let recipient: Recipient<ClerkDefer> = clerk.recipient();
        clerk.defer(ledger.note(0, 0)).tell().await.unwrap();
        clerk.defer(ledger.note(0, 1)).try_tell().unwrap();
        let note = ledger.note(0, 2);
        recipient.tell(ClerkDefer { note }).await.unwrap();
        within(clerk.defer(ledger.note(0, 3))).await.unwrap();
        // Its handler is at an await when its asker goes.
        let gate = Gate::shut();
        let mut ask = Box::pin(clerk.hold(ledger.note(0, 4), gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        drop(ask);
        gate.open();
        let reply = clerk.defer(ledger.note(0, 5)).enqueue().await.unwrap();
        within(reply).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 6);
        assert_at_rest(&clerk);
    });
}

/// Queues ten messages whose drop panics, every other one asked for by somebody who has gone.
async fn mine(desk: &DeskHandle, drops: &Arc<AtomicUsize>) {
    for nth in 0..4 {
        let mine = Mine(Arc::clone(drops));
        if nth % 2 == 0 {
            desk.tell(mine).await.expect("accepted");
        } else {
            assert!(poll_once(&mut Box::pin(desk.ask(mine))).await.is_pending());
        }
    }
}

#[test]
fn messages_whose_drop_panics_keep_no_other_from_being_dropped_or_handed_back() {
    on_each_runtime(|| async {
        let (ledger, drops) = (Ledger::default(), Arc::new(AtomicUsize::new(0)));
        let (desk, _gate) = busy_desk().await;
        let mut first = Box::pin(desk.file(ledger.note(0, 0)));
        assert!(poll_once(&mut first).await.is_pending());
        mine(&desk, &drops).await;
        let mut last = Box::pin(desk.file(ledger.note(0, 1)));
        assert!(poll_once(&mut last).await.is_pending());
        desk.file(ledger.note(0, 2)).tell().await.unwrap();
        desk.kill();
        for ask in [first, last] {
            let error = within(ask).await.unwrap_err();
            let file = error.into_message::<super::skip::DeskFile>();
            file.expect("not handled").note.returned();
        }
        within(desk.join()).await;
        assert_eq!(drops.load(Ordering::Relaxed), 4);
        let tally = ledger.settle();
        assert_eq!((tally.returned, tally.discarded), (2, 1));
        assert_at_rest(&desk);
    });
}

#[test]
fn a_late_reply_is_one_event_that_names_actor_and_message_and_no_undelivered_message() {
    on_runtime(Flavor::OneThread, || async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let recorder = Recorder::new(Level::DEBUG);
        let _guard = observe(recorder.clone());
        let clerk = Builder::new(Clerk).name("late one").spawn();
        let held = clerk.hold(ledger.note(BUSY, 0), gate.clone());
        assert!(held.timeout(Duration::from_millis(1)).await.is_err());
        gate.open();
        within(clerk.ping()).await.unwrap();
        let note = recorder.note("a reply found its asker gone");
        assert_eq!(note.level, Level::DEBUG);
        assert!(
            note.fields.text("actor").starts_with("late one#"),
            "{note:?}"
        );
        assert!(note.fields.text("to").ends_with("ClerkHold"), "{note:?}");
        let metrics = greenroom::runtime::Handle::current().metrics();
        assert_eq!(metrics.late_replies, 1);
        assert_eq!(metrics.undelivered, Default::default());
    });
}
