//! Messages that were accepted and will not be handled.

use super::error::Refusal;
use super::exit::ExitReason;

/// Why an accepted message was not handled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UndeliveredReason {
    /// Its actor ended before.
    Ended(ExitReason),
}

impl UndeliveredReason {
    /// The same, as whoever asked is told.
    pub(super) fn refusal(&self) -> Refusal {
        match self {
            Self::Ended(reason) => Refusal::Ended(reason.clone()),
        }
    }
}
