//! What a session's end leaves unanswered.

use crate::remote::frame::AskKey;

/// What is known of an ask whose session has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fate {
    /// Not all of it was ever written to a connection.
    NotSent,
    /// It may have been handled.
    OutcomeUnknown,
}

/// What was open when a session ended. Nothing of it is told by an event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Leftovers {
    /// Asks of ours, in no order; without those that were cancelled.
    pub(crate) asks: Vec<(AskKey, Fate)>,
    /// Tells that were never written.
    pub(crate) tells_unsent: u64,
    /// Tells that were written and not acknowledged.
    pub(crate) tells_unknown: u64,
    /// Asks of the peer's that still ran: their askers have gone.
    pub(crate) running: Vec<AskKey>,
}
