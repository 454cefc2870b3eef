//! A handle for one message type, whatever the actor.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::envelope::Parcel;
use super::error::TellError;
use super::identity::Identity;
use super::local::{Parts, try_tell};
use super::sending::Sending;
use super::strong::Strong;
use super::traits::Handler;
use super::waits::Watch;
use crate::reply::{Receiver, ReplyEnd};

/// Tells messages of one type to an actor of any type that handles it, and keeps it running.
///
/// It sends one way: to ask, hold the actor's own handle.
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
    strong: Strong,
    /// Seals for the actor, whose type is not known here.
    seal: fn(M, Option<ReplyEnd>) -> Parcel<M>,
}

impl<M: Send + 'static> Recipient<M> {
    pub(super) fn new<A: Handler<M>>(strong: Strong) -> Self {
        Self {
            strong,
            seal: Parcel::seal::<A>,
        }
    }

    /// Name and id of the actor behind it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.strong.head().identity()
    }

    /// Tells, waiting for a slot.
    ///
    /// Cancel safety: dropped before the message was accepted, it withdraws it.
    ///
    /// # Errors
    ///
    /// When the actor takes no more; the message is handed back.
    pub async fn tell(&self, message: M) -> Result<(), TellError<M>> {
        let mut sending = std::pin::pin!(Sending::new(message));
        let (mut receiver, mut accepted) = (Receiver::none(), false);
        std::future::poll_fn(|cx| {
            let mut parts = Parts {
                receiver: &mut receiver,
                accepted: &mut accepted,
                watch: Watch::Fail,
                sending: sending.as_mut(),
                target: &self.strong,
            };
            parts.poll_tell(self.seal, cx)
        })
        .await
    }

    /// Tells without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free or the actor takes no more; the message is handed back.
    pub fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        try_tell(Sending::new(message), &self.strong, self.seal)
    }
}

impl<M: Send + 'static> Clone for Recipient<M> {
    fn clone(&self) -> Self {
        Self {
            strong: self.strong.clone(),
            seal: self.seal,
        }
    }
}

impl<M: Send + 'static> PartialEq for Recipient<M> {
    fn eq(&self, other: &Self) -> bool {
        self.strong == other.strong
    }
}

impl<M: Send + 'static> Eq for Recipient<M> {}

impl<M: Send + 'static> Hash for Recipient<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.strong.head().id().hash(state);
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
