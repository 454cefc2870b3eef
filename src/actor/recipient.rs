//! A handle for one message type, whatever the actor.

#[cfg(feature = "remote")]
mod far;
mod tell;
mod telling;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};

#[cfg(feature = "remote")]
use std::sync::Arc;

#[cfg(feature = "remote")]
pub(crate) use far::{FarAsk, FarAsks, FarTell, FarTo};
pub use tell::RecipientTell;
pub(super) use telling::Telling;

use super::envelope::Parcel;
use super::error::TellError;
use super::identity::Identity;
use super::local::Target;
use super::traits::Handler;
use crate::reply::ReplyEnd;

/// Tells messages of one type to an actor of any type that handles it, and keeps it running.
///
/// It sends one way; an [`AskRecipient`](crate::AskRecipient) asks. The actor may be in another
/// process (`remote::Handle::recipient`): the same errors say what a network adds.
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
pub struct Recipient<M: Send + 'static>(Place<M>);

/// Where the actor is.
enum Place<M: Send + 'static> {
    /// In this process. It is sealed for by `seal`.
    Here { target: Target, seal: SealFor<M> },
    #[cfg(feature = "remote")]
    Far(Arc<dyn FarTo<M>>),
}

/// Seals for an actor, whose type is not known any more.
pub(super) type SealFor<M> = fn(M, Option<ReplyEnd>) -> Parcel<M>;

impl<M: Send + 'static> Recipient<M> {
    pub(super) fn new<A: Handler<M>>(target: Target) -> Self {
        Self::sealed_by(target, Parcel::seal::<A>)
    }

    /// `seal` seals for the target.
    pub(super) fn sealed_by(target: Target, seal: SealFor<M>) -> Self {
        Self(Place::Here { target, seal })
    }

    #[cfg(feature = "remote")]
    pub(crate) fn far(to: Arc<dyn FarTo<M>>) -> Self {
        Self(Place::Far(to))
    }

    /// Name and id of the actor behind it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Telling::to(self).identity()
    }

    /// Tells, waiting for a slot. Does nothing until it is awaited.
    pub fn tell(&self, message: M) -> RecipientTell<'_, M> {
        RecipientTell::new(self, message)
    }

    /// Tells without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free, the actor takes no more, or the message does not come across; it is
    /// handed back.
    pub fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        Telling::to(self).try_tell(message)
    }
}

impl<M: Send + 'static> Clone for Recipient<M> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Place::Here { target, seal } => Place::Here {
                target: target.clone(),
                seal: *seal,
            },
            #[cfg(feature = "remote")]
            Place::Far(to) => Place::Far(to.clone()),
        })
    }
}

impl<M: Send + 'static> PartialEq for Recipient<M> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<M: Send + 'static> Eq for Recipient<M> {}

impl<M: Send + 'static> Hash for Recipient<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
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
