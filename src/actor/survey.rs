//! Looking at actors from outside, of whatever type they are.

use std::fmt;

use super::cause::Cause;
use super::down::AnyActor;
use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;
use super::weak::WeakHandle;
use crate::exec::Executor;
use crate::exec::runtime;

/// What an actor was seen to do, from [`runtime::Handle::actors`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActorInfo {
    /// Which actor.
    pub identity: Identity,
    /// The message whose handler runs or is at an await.
    pub handling: Option<&'static str>,
    /// Messages in its mailbox that hold a slot.
    pub queued: usize,
    /// Senders that wait for a slot.
    pub waiting: usize,
    /// It has something to do: a message, or a hook that has yet to run or to return.
    pub is_busy: bool,
    /// It is a supervisor's child.
    pub is_supervised: bool,
}

impl fmt::Display for ActorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            identity, queued, ..
        } = self;
        match self.handling {
            Some(message) => write!(f, "{identity} in {message}, {queued} queued"),
            None => write!(f, "{identity}, {queued} queued"),
        }
    }
}

/// An actor that was found on an executor. It keeps nothing running.
#[derive(Clone)]
pub(crate) struct Found(WeakHandle<AnyActor>);

impl Found {
    pub(crate) fn all(executor: &Executor) -> impl Iterator<Item = Self> {
        let units = executor.actors().into_iter();
        units.map(|unit| Self(WeakHandle::new(unit)))
    }

    pub(crate) fn of<A>(handle: &Handle<A>) -> Self {
        Self(handle.downgrade().erase())
    }

    pub(crate) fn handle(&self) -> &WeakHandle<AnyActor> {
        &self.0
    }

    /// Whether its end is a supervisor's affair.
    pub(crate) fn is_supervised(&self) -> bool {
        let life = self.0.head().life();
        let overseer = life.and_then(|life| life.overseer());
        overseer.is_some_and(|overseer| overseer.is_supervisor())
    }

    /// Has it end with all others: nobody takes its place.
    pub(crate) fn stop(&self) {
        if !self.retire(false) {
            self.0.close(Cause::Stopped);
        }
    }

    /// Ends it for good, whoever supervises it, with all others.
    pub(crate) fn doom(&self) {
        self.retire(true);
        self.0.close(Cause::Doomed);
    }

    fn retire(&self, late: bool) -> bool {
        let life = self.0.head().life();
        let overseer = life.and_then(|life| life.overseer());
        overseer.is_some_and(|overseer| overseer.retire(late))
    }

    /// Why it ended, and how many messages it had accepted and not handled then.
    pub(crate) async fn end(&self) -> (ExitReason, usize) {
        let reason = self.0.join().await;
        (reason, self.0.head().ending.unhandled())
    }

    /// How many messages it has taken out of its mailbox.
    pub(crate) fn consumed(&self) -> usize {
        self.0.head().mailbox.consumed()
    }

    pub(crate) fn info(&self) -> ActorInfo {
        let head = self.0.head();
        let mailbox = head.mailbox.metrics();
        let queued = mailbox.used.saturating_sub(mailbox.reserved);
        let handling = head.handling();
        // Last, for who is notified is so after the message is in.
        let state = head.state().load();
        let is_gone = head.ending.over().is_some();
        let is_at_hook = !head.ending.has_started() || head.cause.get() != Cause::None;
        let is_at_work = state.is_scheduled() || state.is_running() || is_at_hook;
        ActorInfo {
            identity: head.identity(),
            handling,
            queued,
            waiting: mailbox.waiting,
            is_busy: !is_gone && (is_at_work || handling.is_some() || queued > 0),
            is_supervised: self.is_supervised(),
        }
    }
}

impl runtime::Handle {
    /// The actors that live on this runtime, the first spawned first: what each was seen to do, one
    /// after the other.
    ///
    /// ```
    /// # use greenroom::{actor, runtime};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), greenroom::Error> {
    /// let counter = Counter { count: 0 }.spawn();
    /// counter.add(1).tell().await?;
    /// let actors = runtime::Handle::current().actors();
    /// assert_eq!((actors[0].identity.name(), actors[0].queued), ("Counter", 1));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn actors(&self) -> Vec<ActorInfo> {
        let mut actors: Vec<_> = Found::all(self.executor())
            .map(|actor| actor.info())
            .collect();
        actors.sort_by_key(|actor| actor.identity.id());
        actors
    }
}
