//! How long a child may take to end.

use std::time::Duration;

use super::roster::Moment;

/// How long a child may take to end when its supervisor wants it to. Then it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shutdown {
    /// So long, for what it has to finish and its stop hook.
    Within(Duration),
    /// As long as it takes: for supervisors, whose own children have limits.
    Unlimited,
    /// It is killed at once: at its next await, and without its stop hook.
    Brutal,
}

impl Default for Shutdown {
    /// Five seconds.
    fn default() -> Self {
        Self::Within(Duration::from_secs(5))
    }
}

impl Shutdown {
    /// When it is killed.
    pub(crate) fn deadline(self, now: Moment) -> Option<Moment> {
        match self {
            Self::Within(limit) => Some(now.saturating_add(limit)),
            Self::Unlimited => None,
            Self::Brutal => Some(now),
        }
    }
}
