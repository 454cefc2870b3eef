//! A local actor, as the sessions that it is exported to know it.

use std::any::Any;
use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::failure::{Failure, Why};
use super::handler::{BoxAsked, BoxFuture, RemoteActor, Told, messages};
use super::schema::WireMessage;
use crate::actor::{ExitReason, Handle, WeakHandle};

/// Takes messages of other processes to it. It keeps the actor running.
pub(crate) trait Target: Send + Sync + 'static {
    /// Its messages: others speak of them by their places.
    fn messages(&self) -> &[WireMessage];

    /// Decodes a message, and asks: the ask takes its place at the future's first poll, and is
    /// cancelled where that is dropped. A reply has `limit` bytes at most.
    fn ask(
        &self,
        kind: usize,
        payload: Bytes,
        deadline: Option<Instant>,
        limit: usize,
    ) -> Result<BoxAsked, Failure>;

    /// As an ask, of which only what was not accepted is known. `None` if it was accepted at once.
    fn tell(&self, kind: usize, payload: Bytes) -> Told;

    /// Waits for its end. Does not keep it running.
    fn ended(&self) -> BoxFuture<ExitReason>;

    /// Its `Handle`, if it still has one.
    fn actor(&self) -> Option<Box<dyn Any>>;
}

struct Exported<A: RemoteActor> {
    handle: Held<A>,
    messages: Vec<WireMessage>,
}

enum Held<A: RemoteActor> {
    /// It is kept running.
    Strong(Handle<A>),
    Weak(WeakHandle<A>),
}

impl<A: RemoteActor> Exported<A> {
    fn with<T>(&self, code: impl FnOnce(&Handle<A>) -> Result<T, Failure>) -> Result<T, Failure> {
        match &self.handle {
            Held::Strong(handle) => code(handle),
            Held::Weak(weak) => {
                let handle = weak.upgrade().ok_or(Failure::NotHandled(Why::Stale))?;
                code(&handle)
            }
        }
    }
}

/// An actor as a target.
pub(crate) fn target<A: RemoteActor>(handle: &Handle<A>) -> Arc<dyn Target> {
    Arc::new(Exported {
        handle: Held::Strong(handle.clone()),
        messages: messages::<A>(),
    })
}

/// The same of an actor that is not kept running.
pub(crate) fn lent<A: RemoteActor>(handle: &Handle<A>) -> Arc<dyn Target> {
    Arc::new(Exported {
        handle: Held::Weak(handle.downgrade()),
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
        payload: Bytes,
        deadline: Option<Instant>,
        limit: usize,
    ) -> Result<BoxAsked, Failure> {
        let entry = A::MESSAGES.get(kind).ok_or(NO_MESSAGE)?;
        self.with(|handle| (entry.ask)(handle, payload, deadline, limit))
    }

    fn tell(&self, kind: usize, payload: Bytes) -> Told {
        let entry = A::MESSAGES.get(kind).ok_or(NO_MESSAGE)?;
        self.with(|handle| (entry.tell)(handle, payload))
    }

    fn ended(&self) -> BoxFuture<ExitReason> {
        let weak = match &self.handle {
            Held::Strong(handle) => handle.downgrade(),
            Held::Weak(weak) => weak.clone(),
        };
        Box::pin(async move { weak.join().await })
    }

    fn actor(&self) -> Option<Box<dyn Any>> {
        let found = self.with(|handle| Ok(handle.clone()));
        found.ok().map(|handle| Box::new(handle) as Box<dyn Any>)
    }
}

/// It has no message in that place.
const NO_MESSAGE: Failure = Failure::NotHandled(Why::Other);
