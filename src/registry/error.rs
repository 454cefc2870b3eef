//! What may become of a look-up, and of a registration.

use std::fmt;
use std::sync::Arc;

use crate::actor::{ExitReason, Identity};
use crate::error::Error;

/// Why no actor was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError {
    /// Nobody has the name, or its owner's last handle has gone.
    NotFound {
        /// The name.
        name: Arc<str>,
    },
    /// The name's owner is of another type.
    WrongType {
        /// The name.
        name: Arc<str>,
        /// The owner.
        owner: Identity,
        /// The owner's type.
        found: &'static str,
        /// The type that was asked for.
        wanted: &'static str,
    },
    /// The registry was taken outside any runtime.
    NoRuntime,
    /// The registry's runtime has ended.
    RuntimeGone,
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { name } => write!(f, "no actor is registered as {name:?}"),
            Self::WrongType {
                name,
                owner,
                found,
                wanted,
            } => write!(
                f,
                "{owner}, registered as {name:?}, is a {found} and not a {wanted}"
            ),
            Self::NoRuntime => f.write_str("there is no runtime here to look names up in"),
            Self::RuntimeGone => f.write_str("the runtime of these names has ended"),
        }
    }
}

impl std::error::Error for LookupError {}

impl From<LookupError> for Error {
    fn from(error: LookupError) -> Self {
        Self::new(error)
    }
}

/// Why an actor did not get a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another has it, or the actor itself.
    Taken {
        /// The name.
        name: Arc<str>,
        /// Its owner.
        by: Identity,
    },
    /// The actor has ended.
    Ended(ExitReason),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { name, by } => write!(f, "the name {name:?} is taken by {by}"),
            Self::Ended(reason) => write!(f, "the actor has ended: {reason}"),
        }
    }
}

impl std::error::Error for RegisterError {}

impl From<RegisterError> for Error {
    fn from(error: RegisterError) -> Self {
        Self::new(error)
    }
}
