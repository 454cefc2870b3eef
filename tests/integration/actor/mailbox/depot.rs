//! An actor with a message for each way through a mailbox.

use greenroom::{Builder, actor};

use crate::actor::support::{BUSY, Gate, Ledger, Note};

/// Files notes.
#[actor(mailbox = 4)]
pub(super) struct Depot;

#[actor]
impl Depot {
    pub(super) async fn hold(&mut self, note: Note, gate: Gate) {
        note.handled();
        gate.pass().await;
    }

    pub(super) fn file(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(overflow = reject)]
    pub(super) fn reject(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(overflow = drop_newest)]
    pub(super) fn newest(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(overflow = drop_oldest)]
    pub(super) fn oldest(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(overflow = latest(key))]
    pub(super) fn latest(&mut self, key: u32, note: Note) -> u32 {
        note.handled();
        key
    }

    #[message(lane = urgent)]
    pub(super) fn urgent(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(lane = background)]
    pub(super) fn background(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    #[message(bytes = data.len())]
    pub(super) fn weighed(&mut self, data: Vec<u8>, note: Note) -> usize {
        note.handled();
        data.len()
    }

    #[message(bytes = data.len(), overflow = drop_oldest, lane = background)]
    pub(super) fn bulky(&mut self, data: Vec<u8>, note: Note) {
        note.handled();
        drop(data);
    }

    /// Comes after all else that is in.
    #[message(lane = background)]
    pub(super) fn rest(&mut self) {}
}

/// A depot with so many slots that is busy until its gate is opened.
pub(super) async fn busy(slots: usize, ledger: &Ledger) -> (DepotHandle, Gate) {
    busy_one(Builder::new(Depot).mailbox(slots), ledger).await
}

pub(super) async fn busy_one(builder: Builder<Depot>, ledger: &Ledger) -> (DepotHandle, Gate) {
    let (depot, gate) = (builder.spawn(), Gate::shut());
    let holding = depot.hold(ledger.note(BUSY, 0), gate.clone()).tell();
    holding.await.expect("accepted");
    gate.reached().await;
    (depot, gate)
}

/// The indexes of what was handled of one sender.
pub(super) fn handled(ledger: &Ledger, sender: u32) -> Vec<u32> {
    let journal = ledger.journal().into_iter();
    journal
        .filter(|note| note.0 == sender)
        .map(|note| note.1)
        .collect()
}
