//! Why a timer of a world was not set.

use std::fmt;

use crate::actor::Identity;
use crate::error::Error;
use crate::limits::WORLD_TIMERS_MAX;

/// A timer that was not set: its world has too many. The message is handed back.
pub struct TimersFull<M> {
    actor: Identity,
    message: M,
}

impl<M> TimersFull<M> {
    pub(super) fn new(actor: Identity, message: M) -> Self {
        Self { actor, message }
    }

    /// Whose timer it would have been.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// The message.
    #[must_use]
    pub fn into_message(self) -> M {
        self.message
    }
}

impl<M> fmt::Display for TimersFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = &self.actor;
        write!(f, "the world of {actor} has {WORLD_TIMERS_MAX} timers set")
    }
}

impl<M> fmt::Debug for TimersFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimersFull")
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

impl<M> std::error::Error for TimersFull<M> {}

impl<M: Send + Sync + 'static> From<TimersFull<M>> for Error {
    fn from(error: TimersFull<M>) -> Self {
        Self::new(error)
    }
}
