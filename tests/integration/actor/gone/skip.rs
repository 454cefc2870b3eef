//! A queued ask whose asker has gone is skipped when its turn comes, unless it is detached.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{Builder, Context, Handler, UndeliveredReason, actor};

use super::hooks::heard_clerk;
use super::undelivered::reported;
use crate::actor::clerk::ClerkFile;
use crate::actor::support::{
    BUSY, Gate, Ledger, Note, assert_at_rest, on_each_runtime, poll_once, within,
};

/// Handles some messages whatever becomes of who asked.
#[actor(mailbox = 8)]
pub(super) struct Desk;

#[actor]
impl Desk {
    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    pub(super) fn file(&mut self, note: Note) {
        note.handled();
    }

    #[message(detached)]
    pub(super) fn book(&mut self, note: Note) {
        note.handled();
    }

    #[message(detached)]
    async fn book_later(&mut self, note: Note, ctx: &Context<Self>) {
        assert_eq!(ctx.deadline(), None, "it goes on without its asker");
        tokio::task::yield_now().await;
        note.handled();
    }
}

/// A message of another module's.
pub(super) struct Entry(Note);

#[actor(detached)]
impl Handler<Entry> for Desk {
    fn handle(&mut self, entry: Entry) {
        entry.0.handled();
    }
}

/// A desk that is busy until the gate opens.
pub(super) async fn busy_desk() -> (DeskHandle, Gate) {
    let (desk, gate) = (Desk.spawn(), Gate::shut());
    desk.hold(gate.clone()).tell().await.expect("accepted");
    gate.reached().await;
    (desk, gate)
}

#[test]
fn an_ask_that_was_dropped_while_it_was_queued_is_skipped_and_undelivered() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate, letters) = heard_clerk(4, ledger.note(BUSY, 0)).await;
        let mut stays = Box::pin(clerk.file(ledger.note(0, 0)));
        assert!(poll_once(&mut stays).await.is_pending());
        let mut goes = Box::pin(clerk.file(ledger.note(1, 0)));
        assert!(poll_once(&mut goes).await.is_pending());
        clerk.file(ledger.note(2, 0)).tell().await.unwrap();
        drop(goes);
        assert_eq!(clerk.free_slots(), 1, "it holds its slot until its turn");
        gate.open();
        assert_eq!(within(stays).await.unwrap(), 0);
        within(clerk.ping()).await.unwrap();
        let reasons = reported(&letters);
        assert!(
            matches!(reasons[..], [UndeliveredReason::AskerGone]),
            "{reasons:?}"
        );
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.reported), (3, 1));
        assert_at_rest(&clerk);
        let metrics = greenroom::runtime::Handle::current().metrics();
        assert_eq!(metrics.undelivered.asker_gone, 1);
        assert_eq!(metrics.late_replies, 0);
    });
}

#[test]
fn a_queued_message_that_is_detached_is_handled_although_its_asker_has_gone() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (desk, gate) = busy_desk().await;
        let mut asks: Vec<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>> = vec![
            Box::pin(async { drop(desk.book(ledger.note(0, 0)).await) }),
            Box::pin(async { drop(desk.book_later(ledger.note(0, 1)).await) }),
            Box::pin(async { drop(desk.ask(Entry(ledger.note(0, 2))).await) }),
        ];
        for ask in &mut asks {
            assert!(poll_once(ask).await.is_pending());
        }
        drop(asks);
        gate.open();
        within(desk.file(ledger.note(0, 3))).await.unwrap();
        assert_eq!(ledger.settle().handled, 4);
        let metrics = greenroom::runtime::Handle::current().metrics();
        assert_eq!(metrics.late_replies, 3);
    });
}

#[test]
fn the_messages_behind_skipped_ones_keep_their_order_and_all_slots_come_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate, letters) = heard_clerk(64, ledger.note(BUSY, 0)).await;
        let mut asks = Vec::new();
        for index in 0..64 {
            let mut ask = Box::pin(clerk.file(ledger.note(0, index)));
            assert!(poll_once(&mut ask).await.is_pending());
            asks.push(ask);
        }
        // Every third stays.
        let stay: Vec<_> = asks.into_iter().step_by(3).collect();
        gate.open();
        for ask in stay {
            within(ask).await.unwrap();
        }
        within(clerk.ping()).await.unwrap();
        assert_eq!(reported(&letters).len(), 42);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.reported), (23, 42));
        assert_at_rest(&clerk);
    });
}

/// A message whose drop panics, and that counts its drops.
pub(super) struct Mine(pub(super) Arc<AtomicUsize>);

impl Drop for Mine {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        if !std::thread::panicking() {
            panic!("it drops badly");
        }
    }
}

#[actor]
impl Handler<Mine> for Desk {
    fn handle(&mut self, mine: Mine) {
        std::mem::forget(mine);
    }
}

#[test]
fn a_skipped_message_whose_drop_panics_harms_neither_its_actor_nor_other_messages() {
    on_each_runtime(|| async {
        let (ledger, drops) = (Ledger::default(), Arc::new(AtomicUsize::new(0)));
        let (desk, gate) = busy_desk().await;
        for _ in 0..3 {
            let mut ask = Box::pin(desk.ask(Mine(Arc::clone(&drops))));
            assert!(poll_once(&mut ask).await.is_pending());
        }
        gate.open();
        within(desk.file(ledger.note(0, 0))).await.unwrap();
        assert_eq!(drops.load(Ordering::Relaxed), 3);
        assert_eq!(ledger.settle().handled, 1);
        assert_at_rest(&desk);
    });
}

#[test]
fn an_actor_that_skips_all_it_has_ends_as_it_was_told() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate, letters) = heard_clerk(8, ledger.note(BUSY, 0)).await;
        for index in 0..8 {
            let mut ask = Box::pin(clerk.file(ledger.note(0, index)));
            assert!(poll_once(&mut ask).await.is_pending());
        }
        clerk.stop();
        gate.open();
        within(clerk.join()).await;
        assert_eq!(reported(&letters).len(), 8);
        assert_eq!(ledger.settle().reported, 8);
    });
}

#[tokio::test]
async fn a_skipped_message_can_be_sent_once_more_by_the_hook() {
    let ledger = Ledger::default();
    let desk = Desk.spawn();
    let heir = desk.clone();
    let builder = Builder::new(crate::actor::clerk::Clerk).mailbox(2);
    let clerk = builder
        .on_undelivered(move |letter| {
            let note = letter.downcast::<ClerkFile>().expect("a `ClerkFile`").note;
            heir.book(note).try_tell().expect("a free slot");
        })
        .spawn();
    let gate = Gate::shut();
    let held = clerk.hold(ledger.note(BUSY, 0), gate.clone()).tell().await;
    held.unwrap();
    gate.reached().await;
    let mut ask = Box::pin(clerk.file(ledger.note(0, 0)));
    assert!(poll_once(&mut ask).await.is_pending());
    drop(ask);
    gate.open();
    within(clerk.ping()).await.unwrap();
    within(desk.shutdown()).await;
    assert_eq!(ledger.settle().handled, 2);
}
