//! What a session has done so far, and what it holds.

/// Counts since the session began, and gauges of this moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counters {
    /// Turns of the writer that had something to write.
    pub(crate) writes: u64,
    /// Frames written, those of one record or more.
    pub(crate) frames_sent: u64,
    /// Records written, without those that were sent again.
    pub(crate) records_sent: u64,
    /// Frames written that only acknowledge.
    pub(crate) acks_sent: u64,
    /// Batches read that held a frame.
    pub(crate) reads: u64,
    /// Frames read.
    pub(crate) frames_received: u64,
    /// Records read, without those that were known.
    pub(crate) records_received: u64,
    /// Records read that were known, and ignored.
    pub(crate) records_known: u64,
    /// Records written again after a connection was lost.
    pub(crate) records_resent: u64,
    /// Connections that the session has had.
    pub(crate) connections: u64,
    /// Replies that were not sent, since their asker had gone.
    pub(crate) replies_suppressed: u64,
    /// Replies and errors that came for asks which had been cancelled.
    pub(crate) replies_late: u64,
    /// Replies that were turned into errors, since too much was unacknowledged.
    pub(crate) replies_refused: u64,
    /// Tells to targets that the session does not hold.
    pub(crate) tells_astray: u64,
    /// Times that an ask or a tell found no room.
    pub(crate) refusals: u64,
    /// Now: bytes that are queued or unacknowledged.
    pub(crate) retained_bytes: u64,
    /// Now: records that are sent and unacknowledged.
    pub(crate) retained_records: u64,
    /// The most of these at a time.
    pub(crate) retained_records_max: u64,
    /// Now: answers that are queued or unacknowledged.
    pub(crate) answers_retained: u64,
    /// The most of these at a time.
    pub(crate) answers_retained_max: u64,
    /// Now: asks of ours that are open.
    pub(crate) asks_open: u32,
    /// Now: asks of the peer's that are open.
    pub(crate) asks_running: u32,
    /// Now: bytes of ours that the peer's targets have not taken.
    pub(crate) bytes_under_way: u64,
    /// Now: bytes of the peer's that our targets have not taken.
    pub(crate) bytes_held: u64,
    /// Windows of our targets that have grown.
    pub(crate) windows_grown: u64,
}
