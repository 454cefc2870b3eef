//! Why a supervisor gave up.

use std::fmt;
use std::sync::Arc;

use super::ExitReason;

/// A child of a supervisor failed more often than it may: which, and how it failed last.
#[derive(Clone)]
pub struct GaveUp(Arc<Parts>);

struct Parts {
    child: String,
    restarts: u64,
    last: ExitReason,
}

impl GaveUp {
    pub(crate) fn new(child: String, restarts: u64, last: ExitReason) -> Self {
        Self(Arc::new(Parts {
            child,
            restarts,
            last,
        }))
    }

    /// The child: its name, and its actor's id.
    #[must_use]
    pub fn child(&self) -> &str {
        &self.0.child
    }

    /// How often it was restarted before.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.0.restarts
    }

    /// How it failed at last. Where it is a supervisor itself, that may be another of these.
    #[must_use]
    pub fn last_failure(&self) -> &ExitReason {
        &self.0.last
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts {
            child,
            restarts,
            last,
        } = &*self.0;
        write!(f, "gave up on {child} after {restarts} restarts: {last}")
    }
}

impl fmt::Debug for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for GaveUp {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.last.source()
    }
}
