//! Replies that come in other ways than that of one awaited ask.

mod allocations;
mod ask_all;
mod delegated;
mod enqueue;
mod quorum;
mod streams;

use greenroom::actor;
use tokio::task_local;

use super::support::{Gate, Note};

task_local! {
    /// Set in an asker's task: a handler sees it only on its asker's stack.
    static ASKING: ();
}

/// Answers with its number, in all the ways there are.
#[actor(mailbox = 2)]
struct Desk {
    number: u32,
}

#[actor]
impl Desk {
    /// Whether it runs on the stack of an asker that is marked as `ASKING`.
    #[message(inline = always)]
    fn inline(&mut self) -> bool {
        ASKING.try_with(|()| ()).is_ok()
    }

    fn number(&mut self) -> u32 {
        self.number
    }

    /// Fails with its number.
    fn fail(&mut self) -> Result<u32, String> {
        Err(format!("desk {}", self.number))
    }

    /// Files the note, and answers when the gate is opened.
    async fn hold(&mut self, note: Note, gate: Gate) -> u32 {
        note.handled();
        gate.pass().await;
        self.number
    }

    fn file(&mut self, note: Note) -> u32 {
        note.handled();
        self.number
    }

    async fn crash(&mut self) -> u32 {
        panic!("desk {}", self.number)
    }
}

fn desk(number: u32) -> DeskHandle {
    Desk { number }.spawn()
}
