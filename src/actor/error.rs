//! What can become of a message, as errors. Each says to whom, and hands back what it can.

#[cfg(feature = "world")]
mod unwrapped;

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[cfg(feature = "remote")]
use super::crossing::{Crossing, OutcomeUnknown};
use super::exit::ExitReason;
use super::identity::Identity;
use super::timeout::Timeout;
use super::waits::Deadlock;
use crate::error::{BoxError, Error};
use crate::limits::FORWARDS_MAX;

/// A value that only its owner reaches, so that an error is `Sync` whatever message it carries.
pub(super) struct Owned<T>(Mutex<T>);

impl<T> Owned<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(super) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message of a type that the error's own type does not name.
pub(crate) type AnyMessage = Box<dyn Any + Send>;

/// Why a message was not accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// No slot was free, and the sender did not want to wait.
    Full,
    /// More slots were asked for than the mailbox has.
    TooMany,
    /// No slot came free within the limit.
    Timeout(Duration),
    /// The actor has ended, or takes no more messages before it ends.
    Ended(ExitReason),
    /// The sender's handler would have waited for itself.
    Deadlock(Deadlock),
    /// It was dropped for want of room, or a later one replaced it: so its overflow policy says.
    Overflow,
    /// Its deadline had passed before it was sent, or when its turn came.
    Expired,
    /// It was forwarded more than [`FORWARDS_MAX`](crate::limits::FORWARDS_MAX) times.
    Forwarded,
    /// It did not come across to the actor's process.
    #[cfg(feature = "remote")]
    Crossing(Crossing),
    /// The actor lives in worlds, and not in the one that it was sent to.
    NotHere,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("its mailbox is full"),
            Self::TooMany => f.write_str("its mailbox has fewer slots"),
            Self::Timeout(limit) => write!(f, "no slot came free within {limit:?}"),
            Self::Ended(reason) => reason.fmt(f),
            Self::Deadlock(deadlock) => deadlock.fmt(f),
            Self::Overflow => f.write_str("its mailbox was full, and the message was dropped"),
            Self::Expired => f.write_str("its deadline had passed"),
            Self::NotHere => f.write_str("it is not in this world"),
            Self::Forwarded => write!(f, "it was forwarded more than {FORWARDS_MAX} times"),
            #[cfg(feature = "remote")]
            Self::Crossing(crossing) => crossing.fmt(f),
        }
    }
}

/// A tell that was not accepted. The message was not handled and is handed back.
///
/// Taking the message consumes the error: print the error first.
///
/// ```
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let counter = Counter { count: 0 }.spawn();
/// if let Err(error) = counter.add(2).try_tell() {
///     let text = error.to_string();
///     let message = error.into_message(); // a `CounterAdd`
///     println!("{text}; {} was not added", message.n);
/// }
/// # Ok(()) }
/// ```
pub struct TellError<M> {
    actor: Identity,
    refusal: Refusal,
    message: Owned<M>,
}

impl<M> TellError<M> {
    pub(crate) fn new(actor: Identity, refusal: Refusal, message: M) -> Self {
        Self {
            actor,
            refusal,
            message: Owned::new(message),
        }
    }

    /// Whom the message was for.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why it was not accepted.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// Whether the mailbox had no slot.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.refusal, Refusal::Full)
    }

    /// The message.
    #[must_use]
    pub fn into_message(self) -> M {
        self.message.into_inner()
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} did not accept the message: {}",
            self.actor, self.refusal
        )
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellError")
            .field("actor", &self.actor)
            .field("refusal", &self.refusal)
            .finish_non_exhaustive()
    }
}

impl<M> std::error::Error for TellError<M> {}

/// An ask that gave no reply.
///
/// ```
/// # use greenroom::{AskError, actor};
/// # #[actor] struct Store;
/// # #[actor] impl Store {
/// #     fn load(&self, path: String) -> std::io::Result<String> { std::fs::read_to_string(path) }
/// # }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let store = Store.spawn();
/// match store.load("a".into()).await {
///     Ok(text) => println!("{text}"),
///     Err(AskError::Handler(error)) => println!("the method failed: {error}"), // an `io::Error`
///     Err(AskError::NotHandled(error)) => {
///         println!("{error}"); // before the message is taken, which consumes the error
///         let StoreLoad { path } = error.into_message().expect("it was a `StoreLoad`");
///         println!("{path} can be asked for again");
///     }
///     Err(AskError::Timeout(error)) => println!("it may still be handled: {error}"),
///     Err(error) => return Err(error.into()),
/// }
/// # Ok(()) }
/// ```
#[non_exhaustive]
pub enum AskError<E = Infallible> {
    /// The handler ran and returned this error.
    Handler(E),
    /// The handler never ran; the message is handed back.
    NotHandled(NotHandled),
    /// The handler began and was cut short; what it had done by then, it has done.
    Interrupted(Interrupted),
    /// The limit passed after the message was accepted. [`Timeout::state`] says whether its
    /// handler has begun: if so, the outcome is unknown.
    Timeout(Timeout),
    /// The answer would have been waited for in a circle. The message was accepted: it may still
    /// be handled.
    Deadlock(Deadlock),
    /// It was sent to another process, and its answer did not come back.
    #[cfg(feature = "remote")]
    OutcomeUnknown(OutcomeUnknown),
}

/// A message that no handler ran for.
pub struct NotHandled {
    actor: Identity,
    refusal: Refusal,
    message: Owned<AnyMessage>,
}

impl NotHandled {
    /// Whom the message was for.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why it was not handled.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// The message, if it is an `M`.
    ///
    /// # Errors
    ///
    /// Gives the error back when the message is of another type.
    pub fn into_message<M: 'static>(self) -> Result<M, Self> {
        match self.message.into_inner().downcast::<M>() {
            Ok(message) => Ok(*message),
            Err(message) => Err(Self {
                message: Owned::new(message),
                ..self
            }),
        }
    }
}

impl fmt::Display for NotHandled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} did not handle the message: {}",
            self.actor, self.refusal
        )
    }
}

impl fmt::Debug for NotHandled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotHandled")
            .field("actor", &self.actor)
            .field("refusal", &self.refusal)
            .finish_non_exhaustive()
    }
}

/// A handler that was cut short.
#[derive(Clone, Debug)]
pub struct Interrupted {
    actor: Identity,
    reason: Option<ExitReason>,
}

impl Interrupted {
    pub(crate) fn new(actor: Identity, reason: Option<ExitReason>) -> Self {
        Self { actor, reason }
    }

    /// Whose handler it was.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why the actor ended.
    #[must_use]
    pub fn reason(&self) -> Option<&ExitReason> {
        self.reason.as_ref()
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} did not finish handling the message", self.actor)?;
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

impl<E> AskError<E> {
    pub(crate) fn refused(actor: Identity, refusal: Refusal, message: AnyMessage) -> Self {
        Self::NotHandled(NotHandled {
            actor,
            refusal,
            message: Owned::new(message),
        })
    }

    /// Whom the message was for; `None` for the handler's own error.
    #[must_use]
    pub fn actor(&self) -> Option<&Identity> {
        match self {
            Self::Handler(_) => None,
            Self::NotHandled(error) => Some(&error.actor),
            Self::Interrupted(error) => Some(&error.actor),
            Self::Timeout(error) => Some(error.actor()),
            Self::Deadlock(error) => Some(error.target()),
            #[cfg(feature = "remote")]
            Self::OutcomeUnknown(error) => Some(error.actor()),
        }
    }

    /// The message, if it was not handled and is an `M`.
    ///
    /// # Errors
    ///
    /// Gives the error back when there is no message in it, or one of another type.
    pub fn into_message<M: 'static>(self) -> Result<M, Self> {
        match self {
            Self::NotHandled(error) => error.into_message().map_err(Self::NotHandled),
            other => Err(other),
        }
    }
}

impl<E: fmt::Display> fmt::Display for AskError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handler(error) => error.fmt(f),
            Self::NotHandled(error) => error.fmt(f),
            Self::Interrupted(error) => error.fmt(f),
            Self::Timeout(error) => error.fmt(f),
            Self::Deadlock(error) => error.fmt(f),
            #[cfg(feature = "remote")]
            Self::OutcomeUnknown(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug> fmt::Debug for AskError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handler(error) => f.debug_tuple("Handler").field(error).finish(),
            Self::NotHandled(error) => error.fmt(f),
            Self::Interrupted(error) => error.fmt(f),
            Self::Timeout(error) => error.fmt(f),
            Self::Deadlock(error) => error.fmt(f),
            #[cfg(feature = "remote")]
            Self::OutcomeUnknown(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotHandled {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.refusal {
            Refusal::Ended(reason) => reason.source(),
            _ => None,
        }
    }
}

impl std::error::Error for Interrupted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.reason.as_ref().and_then(ExitReason::source)
    }
}

impl<E: std::error::Error + 'static> std::error::Error for AskError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Handler(error) => error.source(),
            Self::NotHandled(error) => error.source(),
            Self::Interrupted(error) => error.source(),
            _ => None,
        }
    }
}

impl<E: Into<BoxError>> From<AskError<E>> for Error {
    fn from(error: AskError<E>) -> Self {
        match error {
            AskError::Handler(error) => Self::new(error),
            AskError::NotHandled(error) => Self::new(error),
            AskError::Interrupted(error) => Self::new(error),
            AskError::Timeout(error) => Self::new(error),
            AskError::Deadlock(error) => Self::new(error),
            #[cfg(feature = "remote")]
            AskError::OutcomeUnknown(error) => Self::new(error),
        }
    }
}

impl<M: Send + 'static> From<TellError<M>> for Error {
    fn from(error: TellError<M>) -> Self {
        Self::new(error)
    }
}
