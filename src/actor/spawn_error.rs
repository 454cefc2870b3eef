//! Why there is no actor.

use std::{fmt, io};

use super::error::Owned;
use super::identity::Identity;
use crate::admission::Overload;
use crate::error::Error;
use crate::exec::NoThread;
use crate::limits::{MAILBOX_MAX, OWN_THREADS_MAX};

/// Why an actor was not spawned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnErrorKind {
    /// The call was made outside any tokio runtime.
    NoRuntime,
    /// The current runtime is ending.
    RuntimeGone,
    /// The mailbox can't have this many slots.
    Mailbox(usize),
    /// The mailbox has no room for a single byte.
    MailboxBytes,
    /// It was to have a thread of its own, and so many of its runtime's have one already.
    TooManyThreads(usize),
    /// It was to have a thread of its own, and the operating system refuses that.
    NoThread(io::ErrorKind),
    /// The name that it was to be registered under is taken.
    NameTaken {
        /// The name's owner.
        by: Identity,
    },
    /// The runtime's [policy](crate::set_resource_policy) refused it.
    Overload(Overload),
}

impl fmt::Display for SpawnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRuntime => f.write_str(
                "there is no runtime here to spawn an actor on: call it from async code of \
                 `#[greenroom::main]` or `#[tokio::main]`, or enter a runtime first",
            ),
            Self::RuntimeGone => f.write_str("the runtime is ending and takes no actor"),
            Self::Mailbox(slots) => CapacityError::new(*slots).fmt(f),
            Self::MailboxBytes => f.write_str("a mailbox needs room for at least one byte"),
            Self::Overload(overload) => overload.fmt(f),
            Self::TooManyThreads(limit) => {
                write!(
                    f,
                    "{limit} actors have a thread of their own, and there are no more"
                )
            }
            Self::NoThread(kind) => write!(f, "there is no thread for it: {kind}"),
            Self::NameTaken { by } => write!(f, "its name is taken by {by}"),
        }
    }
}

impl std::error::Error for SpawnErrorKind {}

impl From<NoThread> for SpawnErrorKind {
    fn from(error: NoThread) -> Self {
        match error {
            NoThread::TooMany => Self::TooManyThreads(OWN_THREADS_MAX),
            NoThread::Gone => Self::RuntimeGone,
            NoThread::Refused(error) => Self::NoThread(error.kind()),
        }
    }
}

impl From<SpawnErrorKind> for Error {
    fn from(error: SpawnErrorKind) -> Self {
        Self::new(error)
    }
}

/// A number of slots that a mailbox can't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityError {
    slots: usize,
}

impl CapacityError {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots }
    }

    /// The number.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.slots;
        write!(f, "a mailbox has 1 to {MAILBOX_MAX} slots, not {slots}")
    }
}

impl std::error::Error for CapacityError {}

impl From<CapacityError> for Error {
    fn from(error: CapacityError) -> Self {
        Self::new(error)
    }
}

/// An actor that was not spawned, and why. It is handed back.
pub struct SpawnError<A> {
    kind: SpawnErrorKind,
    /// None if it was to be made.
    actor: Option<Owned<A>>,
}

impl<A> SpawnError<A> {
    pub(super) fn new(kind: SpawnErrorKind, actor: Option<A>) -> Self {
        Self {
            kind,
            actor: actor.map(Owned::new),
        }
    }

    /// Why.
    #[must_use]
    pub fn kind(&self) -> SpawnErrorKind {
        self.kind.clone()
    }

    /// The actor.
    ///
    /// # Panics
    ///
    /// When there was none yet: see [`Builder::local`](crate::Builder::local).
    #[must_use]
    pub fn into_actor(self) -> A {
        let actor = self.actor.expect("the actor was yet to be made");
        actor.into_inner()
    }
}

impl<A> fmt::Display for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl<A> fmt::Debug for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpawnError").field(&self.kind).finish()
    }
}

impl<A> std::error::Error for SpawnError<A> {}

impl<A: Send + 'static> From<SpawnError<A>> for Error {
    fn from(error: SpawnError<A>) -> Self {
        Self::new(error)
    }
}
