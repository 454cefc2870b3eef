//! Topics.

mod ends;
mod lags;
mod lasts;
mod orders;
mod subscribers;

use std::sync::{Arc, Mutex};

use greenroom::{Context, Topic, actor};

use crate::actor::support::{Gate, within};

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark(pub(crate) u32);

/// What a reader has handled.
pub(crate) type Read = Arc<Mutex<Vec<u32>>>;

/// A subscriber that notes what it handles.
#[actor(mailbox = 2)]
pub(crate) struct Reader {
    read: Read,
}

#[actor]
impl Reader {
    #[message]
    fn on_mark(&mut self, mark: Mark) {
        self.read.lock().unwrap().push(mark.0);
    }

    /// Notes something that was made of a message.
    pub(crate) fn note(&mut self, n: u32) {
        self.read.lock().unwrap().push(n);
    }

    pub(crate) async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    pub(crate) fn ping(&self) {}

    /// Stops by itself, once the gate is open.
    pub(crate) async fn finish(&mut self, gate: Gate, ctx: &mut Context<Self>) {
        ctx.stop();
        gate.pass().await;
    }

    pub(crate) async fn crash(&mut self) {
        panic!("at work");
    }
}

impl Reader {
    pub(crate) fn new(read: &Read) -> Self {
        let read = Arc::clone(read);
        Self { read }
    }
}

/// A reader, and what it has read.
pub(crate) fn reader() -> (ReaderHandle, Read) {
    let read = Read::default();
    (Reader::new(&read).spawn(), read)
}

/// A reader that is busy until the gate is opened.
pub(crate) async fn busy_reader() -> (ReaderHandle, Read, Gate) {
    let (reader, read) = reader();
    let gate = Gate::shut();
    reader.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    (reader, read, gate)
}

/// Publishes marks of these numbers.
pub(crate) fn publish(topic: &Topic<Mark>, numbers: impl IntoIterator<Item = u32>) {
    for n in numbers {
        topic.publish(Mark(n));
    }
}

/// What it has read, once it has read so much.
pub(crate) async fn after(reader: &ReaderHandle, read: &Read, count: usize) -> Vec<u32> {
    crate::actor::support::until(|| read.lock().unwrap().len() >= count).await;
    within(reader.ping()).await.unwrap();
    read.lock().unwrap().clone()
}
