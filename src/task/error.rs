//! Why a task has no output.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use crate::contain::Payload;
use crate::id::Id;

/// A task ended without an output: it was cancelled, or it panicked.
pub struct JoinError {
    repr: Repr,
    id: Id,
}

enum Repr {
    Cancelled,
    /// Boxed twice, since a panic is rare and every task has room for its error; the mutex makes
    /// a payload that is only `Send` safe to share.
    Panicked(Box<Mutex<Payload>>),
}

impl JoinError {
    pub(crate) fn cancelled(id: Id) -> Self {
        Self {
            repr: Repr::Cancelled,
            id,
        }
    }

    pub(crate) fn panicked(id: Id, payload: Payload) -> Self {
        Self {
            repr: Repr::Panicked(Box::new(Mutex::new(payload))),
            id,
        }
    }

    /// Whether the task was aborted, or its runtime ended before it did.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self.repr, Repr::Cancelled)
    }

    /// Whether the task panicked.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self.repr, Repr::Panicked(_))
    }

    /// What the task panicked with, for [`std::panic::resume_unwind`].
    ///
    /// # Panics
    ///
    /// If the task did not panic; [`JoinError::try_into_panic`] does not.
    #[must_use]
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn std::any::Any + Send + 'static> {
        match self.try_into_panic() {
            Ok(payload) => payload,
            Err(error) => panic!("`into_panic` on an error that is not a panic: {error}"),
        }
    }

    /// What the task panicked with, or the error itself if it did not panic.
    ///
    /// # Errors
    ///
    /// The error unchanged if the task was cancelled.
    pub fn try_into_panic(self) -> Result<Box<dyn std::any::Any + Send + 'static>, Self> {
        match self.repr {
            Repr::Panicked(payload) => Ok((*payload)
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)),
            repr @ Repr::Cancelled => Err(Self { repr, ..self }),
        }
    }

    /// Which task it was.
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// The panic's message, where it is a text.
    fn message(&self) -> Option<String> {
        let Repr::Panicked(payload) = &self.repr else {
            return None;
        };
        let payload = payload.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = payload.downcast_ref::<&'static str>() {
            return Some((*text).to_owned());
        }
        payload.downcast_ref::<String>().cloned()
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.repr, self.message()) {
            (Repr::Cancelled, _) => write!(f, "task {} was cancelled", self.id),
            (Repr::Panicked(_), Some(message)) => {
                write!(f, "task {} panicked with message {message:?}", self.id)
            }
            (Repr::Panicked(_), None) => write!(f, "task {} panicked", self.id),
        }
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.repr, self.message()) {
            (Repr::Cancelled, _) => write!(f, "JoinError::Cancelled({:?})", self.id),
            (Repr::Panicked(_), Some(message)) => {
                write!(f, "JoinError::Panic({:?}, {message:?}, ...)", self.id)
            }
            (Repr::Panicked(_), None) => write!(f, "JoinError::Panic({:?}, ...)", self.id),
        }
    }
}

impl Error for JoinError {}

impl From<JoinError> for io::Error {
    fn from(error: JoinError) -> Self {
        io::Error::other(error)
    }
}

#[cfg(not(greenroom_loom))]
impl From<JoinError> for crate::error::Error {
    fn from(error: JoinError) -> Self {
        Self::new(error)
    }
}
