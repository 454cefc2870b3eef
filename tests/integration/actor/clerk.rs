//! The actor that most tests talk to: it files notes, at once or after a wait.

use greenroom::{Builder, actor};

use super::support::{Gate, Note, seated};

/// Files notes in their ledger.
#[actor(mailbox = 4)]
pub(crate) struct Clerk;

#[actor]
impl Clerk {
    /// Files the note at once.
    pub(crate) fn file(&mut self, note: Note) -> u32 {
        note.handled();
        note.index
    }

    /// Files the note, and is busy until the gate lets it go on.
    pub(crate) async fn hold(&mut self, note: Note, gate: Gate) -> u32 {
        note.handled();
        gate.pass().await;
        note.index
    }

    /// Files the note after others had a turn.
    pub(crate) async fn defer(&mut self, note: Note) -> u32 {
        tokio::task::yield_now().await;
        note.handled();
        note.index
    }

    /// Loses the note.
    pub(crate) async fn crash(&mut self, note: Note) {
        note.lost();
        panic!("crashed at {}", note.index);
    }

    /// Answers.
    pub(crate) fn ping(&mut self) {}
}

/// A clerk with so many slots.
pub(crate) fn clerk(slots: usize) -> ClerkHandle {
    seated(Builder::new(Clerk).mailbox(slots)).spawn()
}

/// A clerk that is busy with this note until the gate is opened.
pub(crate) async fn busy_clerk(slots: usize, note: Note) -> (ClerkHandle, Gate) {
    let clerk = clerk(slots);
    let gate = Gate::shut();
    clerk
        .hold(note, gate.clone())
        .tell()
        .await
        .expect("accepted");
    gate.reached().await;
    (clerk, gate)
}
