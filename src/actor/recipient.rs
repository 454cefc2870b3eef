//! A handle for one message type, whatever the actor.

mod tell;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};

pub use tell::RecipientTell;
pub(super) use tell::{Telling, give_up, poll_tell};

use super::envelope::Parcel;
use super::error::TellError;
use super::identity::Identity;
use super::local::{Target, try_tell};
use super::sending::Sending;
use super::traits::Handler;
use crate::reply::ReplyEnd;

/// Tells messages of one type to an actor of any type that handles it, and keeps it running.
///
/// It sends one way; an [`AskRecipient`](crate::AskRecipient) asks.
///
/// ```
/// # use greenroom::{Recipient, actor};
/// # #[actor] struct Clock { seconds: u64 }
/// # #[actor] struct Log;
/// # #[actor] impl Log { #[message] fn on_tick(&mut self, tick: Tick) {} }
/// pub struct Tick;
///
/// #[actor]
/// impl Clock {
///     #[message]
///     fn on_tick(&mut self, tick: Tick) { self.seconds += 1; }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let (clock, log) = (Clock { seconds: 0 }.spawn(), Log.spawn());
/// let listeners: Vec<Recipient<Tick>> = vec![clock.recipient(), log.recipient()];
/// for listener in &listeners {
///     listener.tell(Tick).await?;
/// }
/// # Ok(()) }
/// ```
pub struct Recipient<M: Send + 'static> {
    pub(super) target: Target,
    pub(super) seal: SealFor<M>,
}

/// Seals for an actor, whose type is not known any more.
pub(super) type SealFor<M> = fn(M, Option<ReplyEnd>) -> Parcel<M>;

impl<M: Send + 'static> Recipient<M> {
    pub(super) fn new<A: Handler<M>>(target: Target) -> Self {
        let seal = Parcel::seal::<A>;
        Self { target, seal }
    }

    /// Name and id of the actor behind it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.target.0.head().identity()
    }

    /// Tells, waiting for a slot. Does nothing until it is awaited.
    pub fn tell(&self, message: M) -> RecipientTell<'_, M> {
        RecipientTell::new(&self.target, self.seal, message)
    }

    /// Tells without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free or the actor takes no more; the message is handed back.
    pub fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        try_tell(Sending::new(message), &self.target.0, self.seal)
    }
}

impl<M: Send + 'static> Clone for Recipient<M> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            seal: self.seal,
        }
    }
}

impl<M: Send + 'static> PartialEq for Recipient<M> {
    fn eq(&self, other: &Self) -> bool {
        self.target.0 == other.target.0
    }
}

impl<M: Send + 'static> Eq for Recipient<M> {}

impl<M: Send + 'static> Hash for Recipient<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.0.head().id().hash(state);
    }
}

impl<M: Send + 'static> fmt::Debug for Recipient<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipient").field(&self.identity()).finish()
    }
}

// As for `Handle`.
impl<M: Send + 'static> UnwindSafe for Recipient<M> {}
impl<M: Send + 'static> RefUnwindSafe for Recipient<M> {}
