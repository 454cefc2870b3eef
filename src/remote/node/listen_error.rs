//! Addresses that a node does not listen at.

use std::fmt;
use std::io;

use super::super::policy::Missing;
use crate::error::Error;

/// An address that a node does not listen at.
#[derive(Debug)]
#[non_exhaustive]
pub enum ListenError {
    /// The address can't be had.
    Io(io::Error),
    /// Any process of this machine could connect, and the node has no token:
    /// [`NodeBuilder::token`](super::NodeBuilder::token).
    NoToken,
    /// Others could connect, and read what is said:
    /// [`NodeBuilder::insecure`](super::NodeBuilder::insecure) says that they may.
    NotEncrypted,
    /// The node was closed.
    Closed,
}

impl From<io::Error> for ListenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Missing> for ListenError {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Token => Self::NoToken,
            Missing::Encryption => Self::NotEncrypted,
        }
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the address can't be had: {error}"),
            Self::NoToken => f.write_str("others could connect, and the node has no token"),
            Self::NotEncrypted => f.write_str("others could connect, and nothing is encrypted"),
            Self::Closed => f.write_str("the node was closed"),
        }
    }
}

impl std::error::Error for ListenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ListenError> for Error {
    fn from(error: ListenError) -> Self {
        Self::new(error)
    }
}
