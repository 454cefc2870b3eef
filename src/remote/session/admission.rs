//! Whether there is room for one more record, and where it is missing.

/// Whether [`Session::ask`](super::Session::ask) or `tell` takes a record. What is refused for
/// want of room is told by an event when there is some.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum Admission {
    /// There is room.
    Granted,
    /// The target's window is full; `Granted` will come.
    Target,
    /// The session's window is full, or too much is unacknowledged; `GrantedAll` will come.
    Session,
    /// The payload is longer than the peer takes; it never will.
    TooLarge {
        /// Bytes that the peer takes.
        limit: u64,
    },
    /// The target is not held in this session.
    Unknown,
}
