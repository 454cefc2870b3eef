//! A local actor, as the sessions that it is exported to know it.

use std::sync::Arc;

use tokio::time::Instant;

use super::failure::{Failure, Why};
use super::handler::{BoxAsked, BoxFuture, RemoteActor, Told, messages};
use super::schema::WireMessage;
use crate::actor::{ExitReason, Handle};

/// Takes messages of other processes to it. It keeps the actor running.
pub(crate) trait Target: Send + Sync + 'static {
    /// Its messages: others speak of them by their places.
    fn messages(&self) -> &[WireMessage];

    /// Decodes a message, and asks: the ask takes its place at the future's first poll, and is
    /// cancelled where that is dropped. A reply has `limit` bytes at most.
    fn ask(
        &self,
        kind: usize,
        payload: &[u8],
        deadline: Option<Instant>,
        limit: usize,
    ) -> Result<BoxAsked, Failure>;

    /// As an ask, of which only what was not accepted is known. `None` if it was accepted at once.
    fn tell(&self, kind: usize, payload: &[u8]) -> Told;

    /// Waits for its end. Does not keep it running.
    fn ended(&self) -> BoxFuture<ExitReason>;
}

struct Exported<A> {
    handle: Handle<A>,
    messages: Vec<WireMessage>,
}

/// An actor as a target.
pub(crate) fn target<A: RemoteActor>(handle: &Handle<A>) -> Arc<dyn Target> {
    Arc::new(Exported {
        handle: handle.clone(),
        messages: messages::<A>(),
    })
}

impl<A: RemoteActor> Target for Exported<A> {
    fn messages(&self) -> &[WireMessage] {
        &self.messages
    }

    fn ask(
        &self,
        kind: usize,
        payload: &[u8],
        deadline: Option<Instant>,
        limit: usize,
    ) -> Result<BoxAsked, Failure> {
        let entry = A::MESSAGES.get(kind).ok_or(NO_MESSAGE)?;
        (entry.ask)(&self.handle, payload, deadline, limit)
    }

    fn tell(&self, kind: usize, payload: &[u8]) -> Told {
        let entry = A::MESSAGES.get(kind).ok_or(NO_MESSAGE)?;
        (entry.tell)(&self.handle, payload)
    }

    fn ended(&self) -> BoxFuture<ExitReason> {
        let weak = self.handle.downgrade();
        Box::pin(async move { weak.join().await })
    }
}

/// It has no message in that place.
const NO_MESSAGE: Failure = Failure::NotHandled(Why::Other);
