//! A limit that passed, and what may still become of the message.

use std::fmt;
use std::time::Duration;

use super::identity::Identity;

/// A limit that passed after the message was accepted.
#[derive(Clone, Debug)]
pub struct Timeout {
    actor: Identity,
    limit: Duration,
    state: TimeoutState,
}

/// Where a message was when its ask's limit passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeoutState {
    /// It was queued, and will not be handled: when its turn comes it is skipped, and
    /// [undelivered](crate::Undelivered).
    Skipped,
    /// It was queued, and will be handled all the same, since it is `#[message(detached)]`.
    Queued,
    /// Its handler had begun: the outcome is unknown.
    Running,
    /// It was sent to another process, where its handler may have begun: the outcome is unknown.
    #[cfg(feature = "remote")]
    Sent,
}

impl Timeout {
    pub(crate) fn new(actor: Identity, limit: Duration, state: TimeoutState) -> Self {
        Self {
            actor,
            limit,
            state,
        }
    }

    /// Whom the message is with.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// The limit that passed. Of a deadline, how long that was away at the first poll.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Where the message was.
    #[must_use]
    pub fn state(&self) -> TimeoutState {
        self.state
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            actor,
            limit,
            state,
        } = self;
        write!(f, "{actor} did not reply within {limit:?}: ")?;
        f.write_str(match state {
            TimeoutState::Skipped => "the message was queued, and will not be handled",
            TimeoutState::Queued => "the message is queued, and will be handled",
            TimeoutState::Running => "its handler had begun",
            #[cfg(feature = "remote")]
            TimeoutState::Sent => "it was sent, and may have been handled",
        })
    }
}

impl std::error::Error for Timeout {}
