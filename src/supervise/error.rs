//! What goes wrong with children.

use std::fmt;
use std::sync::Arc;

use super::roster::orders::OrderError;
use crate::actor::SpawnErrorKind;
use crate::error::Error;
use crate::id::Id;

/// Which child is meant: by its name, or by the id of its actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildKey {
    /// The name that it was given.
    Name(Box<str>),
    /// Its actor's id.
    Id(Id),
}

impl From<&str> for ChildKey {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for ChildKey {
    fn from(name: String) -> Self {
        Self::Name(name.into())
    }
}

impl From<Id> for ChildKey {
    fn from(id: Id) -> Self {
        Self::Id(id)
    }
}

/// Why a supervisor does not do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildError {
    /// It has no such child, or has none any more.
    Unknown,
    /// The child is another actor than was thought.
    OtherType,
    /// Another child has the name.
    NameTaken(Arc<str>),
    /// The child has to be terminated first.
    Runs,
    /// The child was terminated: it has no actor.
    Terminated,
    /// The supervisor is ending.
    Closing,
    /// The child can't be spawned.
    Spawn(SpawnErrorKind),
}

impl fmt::Display for ChildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the supervisor has no such child"),
            Self::OtherType => f.write_str("the child is an actor of another type"),
            Self::NameTaken(name) => write!(f, "another child is named {name}"),
            Self::Runs => f.write_str("the child has not been terminated"),
            Self::Terminated => f.write_str("the child was terminated"),
            Self::Closing => f.write_str("the supervisor is ending"),
            Self::Spawn(kind) => kind.fmt(f),
        }
    }
}

impl std::error::Error for ChildError {}

impl From<ChildError> for Error {
    fn from(error: ChildError) -> Self {
        Self::new(error)
    }
}

impl From<OrderError> for ChildError {
    fn from(error: OrderError) -> Self {
        match error {
            OrderError::Unknown => Self::Unknown,
            OrderError::Runs => Self::Runs,
            OrderError::Closing => Self::Closing,
        }
    }
}
