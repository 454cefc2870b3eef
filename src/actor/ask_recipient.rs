//! A handle for asks of one message type, whatever the actor.

mod ask;
mod way;

use std::convert::Infallible;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
#[cfg(feature = "remote")]
use std::sync::Arc;

pub use ask::RecipientAsk;

use super::handle::Handle;
use super::identity::Identity;
use super::local::Target;
#[cfg(feature = "remote")]
use super::recipient::FarAsks;
use super::recipient::Recipient;
use super::traits::{ErrOf, Handler, OkOf};
use way::{Way, way_to};

/// Asks an actor of any type that answers messages of one type with a `T`, or an error `E`, and
/// keeps it running.
///
/// An ask is what it is by the actor's own handle: it may run its handler inline, a limit travels
/// with it, and all promises hold. The actor may be in another process
/// (`remote::Handle::ask_recipient`): then its errors say what a network adds.
///
/// ```
/// # use greenroom::{AskRecipient, actor};
/// # #[actor] struct Adder { sum: u64 }
/// # #[actor] struct Multiplier { product: u64 }
/// pub struct Apply(u64);
///
/// #[actor]
/// impl Adder {
///     #[message]
///     fn apply(&mut self, by: Apply) -> u64 { self.sum += by.0; self.sum }
/// }
///
/// #[actor]
/// impl Multiplier {
///     #[message]
///     fn apply(&mut self, by: Apply) -> u64 { self.product *= by.0; self.product }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let (adder, multiplier) = (Adder { sum: 1 }.spawn(), Multiplier { product: 1 }.spawn());
/// let both: [AskRecipient<Apply, u64>; 2] = [adder.ask_recipient(), multiplier.ask_recipient()];
/// for recipient in &both {
///     println!("{}", recipient.ask(Apply(3)).await?); // 4, then 3
/// }
/// # Ok(()) }
/// ```
pub struct AskRecipient<M: Send + 'static, T: 'static, E: 'static = Infallible>(Place<M, T, E>);

/// Where the actor is.
enum Place<M: Send + 'static, T: 'static, E: 'static> {
    /// In this process. The way is that of the target.
    Here {
        target: Target,
        way: &'static Way<M, T, E>,
    },
    #[cfg(feature = "remote")]
    Far(Arc<dyn FarAsks<M, T, E>>),
}

impl<A: 'static> Handle<A> {
    /// A handle for asks of one message type, whatever the actor.
    #[must_use]
    pub fn ask_recipient<M: Send + 'static>(&self) -> AskRecipient<M, OkOf<A, M>, ErrOf<A, M>>
    where
        A: Handler<M>,
    {
        AskRecipient(Place::Here {
            target: self.target().clone(),
            way: way_to::<A, M>(),
        })
    }
}

impl<M: Send + 'static, T, E> AskRecipient<M, T, E> {
    #[cfg(feature = "remote")]
    pub(crate) fn far(to: Arc<dyn FarAsks<M, T, E>>) -> Self {
        Self(Place::Far(to))
    }

    /// Name and id of the actor behind it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        match &self.0 {
            Place::Here { target, .. } => target.0.head().identity(),
            #[cfg(feature = "remote")]
            Place::Far(to) => to.identity(),
        }
    }

    /// Asks. Does nothing until it is awaited.
    pub fn ask(&self, message: M) -> RecipientAsk<'_, M, T, E> {
        match &self.0 {
            Place::Here { target, way } => RecipientAsk::here(target, way, message),
            #[cfg(feature = "remote")]
            Place::Far(to) => RecipientAsk::far(to.ask(message)),
        }
    }

    /// One for tells, of the same actor.
    #[must_use]
    pub fn recipient(&self) -> Recipient<M> {
        match &self.0 {
            Place::Here { target, way } => Recipient::sealed_by(target.clone(), way.seal),
            #[cfg(feature = "remote")]
            Place::Far(to) => Recipient::far(to.teller()),
        }
    }
}

impl<M: Send + 'static, T, E> Clone for AskRecipient<M, T, E> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Place::Here { target, way } => Place::Here {
                target: target.clone(),
                way,
            },
            #[cfg(feature = "remote")]
            Place::Far(to) => Place::Far(to.clone()),
        })
    }
}

impl<M: Send + 'static, T, E> PartialEq for AskRecipient<M, T, E> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<M: Send + 'static, T, E> Eq for AskRecipient<M, T, E> {}

impl<M: Send + 'static, T, E> Hash for AskRecipient<M, T, E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl<M: Send + 'static, T, E> fmt::Debug for AskRecipient<M, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity = self.identity();
        f.debug_tuple("AskRecipient").field(&identity).finish()
    }
}

// As for `Handle`.
impl<M: Send + 'static, T, E> UnwindSafe for AskRecipient<M, T, E> {}
impl<M: Send + 'static, T, E> RefUnwindSafe for AskRecipient<M, T, E> {}
