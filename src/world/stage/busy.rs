//! Why a world was not forked.

use std::fmt;

use crate::actor::Identity;
use crate::error::Error;

/// Something is in flight in a world: the error of [`Stage::try_fork`](super::Stage::try_fork).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// How many actors handle a message, or have one before them. None, if the world is being
    /// quiesced, or its clock advanced.
    pub actors: usize,
    /// The first of them to have run.
    pub first: Option<Identity>,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.first, self.actors) {
            (Some(first), 1) => write!(f, "{first} is busy in the world"),
            (Some(first), actors) => {
                write!(f, "{first} and {} more are busy in the world", actors - 1)
            }
            (None, _) => f.write_str("the world is being quiesced, or its clock advanced"),
        }
    }
}

impl std::error::Error for Busy {}

impl From<Busy> for Error {
    fn from(error: Busy) -> Self {
        Self::new(error)
    }
}
