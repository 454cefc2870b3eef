//! What stands in the way of forks and answers.

use std::fmt;

use super::grant::NotFunded;
use crate::error::Error;

/// Why a savepoint was not forked. There is no new world then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkError {
    /// It has been resumed or abandoned.
    NotPending,
    /// Its world cannot pay the grant.
    NotFunded(NotFunded),
    /// Its session closes.
    Closing,
}

/// The session closes: it takes no new worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing;

/// The savepoint has been resumed or abandoned, by another or before; the value is handed back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NotPending<V>(V);

impl<V> NotPending<V> {
    pub(super) const fn new(value: V) -> Self {
        Self(value)
    }

    /// The value that was not used.
    pub fn into_value(self) -> V {
        self.0
    }
}

impl<V> fmt::Debug for NotPending<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NotPending")
    }
}

const NOT_PENDING: &str = "the savepoint is not pending any more";

impl<V> fmt::Display for NotPending<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_PENDING)
    }
}

impl<V> std::error::Error for NotPending<V> {}

impl fmt::Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the session closes")
    }
}

impl std::error::Error for Closing {}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending => f.write_str(NOT_PENDING),
            Self::NotFunded(error) => error.fmt(f),
            Self::Closing => Closing.fmt(f),
        }
    }
}

impl std::error::Error for ForkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotFunded(error) => Some(error),
            Self::NotPending | Self::Closing => None,
        }
    }
}

impl From<NotFunded> for ForkError {
    fn from(error: NotFunded) -> Self {
        Self::NotFunded(error)
    }
}

impl From<Closing> for ForkError {
    fn from(_: Closing) -> Self {
        Self::Closing
    }
}

impl From<ForkError> for Error {
    fn from(error: ForkError) -> Self {
        Self::new(error)
    }
}

impl From<Closing> for Error {
    fn from(error: Closing) -> Self {
        Self::new(error)
    }
}

impl<V: 'static> From<NotPending<V>> for Error {
    fn from(_: NotPending<V>) -> Self {
        Self::new(ForkError::NotPending)
    }
}
