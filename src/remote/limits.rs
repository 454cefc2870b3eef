//! The bounds of a session with another node, each with its reason.

use std::time::Duration;

/// Asks that one side of a session may have open, unless a node says otherwise. One target gets
/// half of them at most, so this is a window of 1,024 for each of two.
pub const ASKS: u32 = 2048;

/// Most asks that may be allowed: their tables grow with use, and keys stay short on the wire.
pub const ASKS_MAX: u32 = 1 << 20;

/// Bytes of asks and tells that a session's targets have not yet taken, unless a node says
/// otherwise: far more than a fast link holds, little beside what a server has.
pub const IN_FLIGHT_BYTES: u64 = 8 << 20;

/// What a record counts for in bytes beside its payload: about what its place in a queue takes, so
/// that empty messages are bounded by bytes as well.
pub const RECORD_COST: u64 = 64;

/// Asks and records that may be under way to a target before it has taken any.
pub const FIRST_RECORDS: u32 = 16;

/// Bytes that may be under way to a target before it has taken any.
pub const FIRST_BYTES: u64 = 64 << 10;

/// Bytes of sent and unacknowledged records beyond which a session takes no more asks: what a link
/// of a gigabit holds in some 60 milliseconds.
pub const RETAINED_BYTES: u64 = 8 << 20;

/// Least of these that may be allowed: acknowledgements come every [`ACK_BYTES`].
pub const RETAINED_BYTES_MIN: u64 = 256 << 10;

/// How many times the bytes above replies to asks that were taken before may reach; beyond that
/// the asker gets an error in place of the reply.
pub const RETAINED_OVERSHOOT: u64 = 8;

/// Bytes that are received before they are acknowledged without other reason: a quarter of the
/// least that a sender retains, so that it never waits for a timer.
pub const ACK_BYTES: u64 = RETAINED_BYTES_MIN / 4;

/// Bytes of a frame's body: a frame is read as a whole, and no peer is trusted for more. Room for
/// a chunk and as many bytes of small records.
pub const FRAME_BYTES: u32 = 2 * CHUNK_BYTES;

/// Bytes of a chunk; larger records go in several. Small enough that what comes after one does not
/// wait, large enough that its head is lost in the noise.
pub const CHUNK_BYTES: u32 = 64 << 10;

/// Bytes of a payload, unless a node says otherwise.
pub const PAYLOAD_BYTES: u64 = 16 << 20;

/// Bytes of what is no message: look-ups, their answers, tables of kinds, reasons.
pub const CONTROL_BYTES: u32 = 64 << 10;

/// Large records that are under way at a time in one direction.
pub const PARTIALS: u32 = 4;

/// Bytes of large records that may be unacknowledged at first, and at least: what follows waits
/// behind them. The half that is under way while the next is written is as much as a receiver takes
/// before it acknowledges.
pub const BULK_BYTES: u64 = 2 * ACK_BYTES;

/// As much at least while nothing small has followed for [`BULK_CALM`]: then a connection may as
/// well be kept busy, and what is small after all waits once for some hundreds of microseconds.
pub const BULK_BYTES_CALM: u64 = 1 << 20;

/// After so long without a small record there is nobody who waits behind large ones.
pub const BULK_CALM: Duration = Duration::from_millis(100);

/// After so long a session learns anew how soon acknowledgements come, since the way may have
/// become a longer one.
pub const BULK_RELEARN: Duration = Duration::from_secs(30);

/// Targets that one side may hold of the other's, unless a node says otherwise.
pub const TARGETS: u32 = 4096;

/// Look-ups that wait for their answer at a time.
pub const LOOK_UPS: u32 = 64;

/// Watches over targets' ends, unless a node says otherwise.
pub const MONITORS: u32 = 4096;

/// After so long without a word from the peer a session asks for one.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// After so long without a word a connection counts as dead.
pub const IDLE: Duration = Duration::from_secs(20);

/// Least time that a frame or a large record may stand still half-way, or a connection be silent.
pub const PATIENCE_MIN: Duration = Duration::from_millis(50);

/// Most of any time that a node is told: longer than any waits, and clocks still reach it.
pub const PATIENCE_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// After so long a frame must be whole, and a large record must have got a further chunk: the
/// bound is on progress, so that large payloads may take their time.
pub const PROGRESS: Duration = Duration::from_secs(30);

/// Cancels per second that are heeded; a peer has a burst of its window on top.
pub const CANCELS_PER_SECOND: u32 = 20_000;

/// Look-ups per second that are heeded, with a burst of as many.
pub const LOOK_UPS_PER_SECOND: u32 = 1_000;

/// Pings, and frames that say nothing at all, per second that are heeded: some times more than the
/// shortest heartbeat brings.
pub const PINGS_PER_SECOND: u32 = 100;

/// Bytes that one turn of the writer takes, about: what comes meanwhile waits no longer than these
/// take to be written.
pub const WRITE_BYTES: usize = 256 << 10;

/// Bytes of records that are encoded into one buffer before the next is begun.
pub(crate) const SEGMENT_BYTES: usize = 32 << 10;

/// Payloads from this size on are sent from where they lie; smaller ones are copied, which is
/// cheaper than a slice of their own.
pub(crate) const SHARED_BYTES: usize = 4 << 10;

/// The bounds of a node's sessions; what is not said keeps the default named above.
///
/// A peer is told what concerns it when the session begins. Values are brought into their allowed
/// range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    pub(crate) asks: u32,
    pub(crate) in_flight_bytes: u64,
    pub(crate) retained_bytes: u64,
    pub(crate) payload_bytes: u64,
    pub(crate) targets: u32,
    pub(crate) monitors: u32,
    pub(crate) heartbeat: Duration,
    pub(crate) idle: Duration,
    pub(crate) progress: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            asks: ASKS,
            in_flight_bytes: IN_FLIGHT_BYTES,
            retained_bytes: RETAINED_BYTES,
            payload_bytes: PAYLOAD_BYTES,
            targets: TARGETS,
            monitors: MONITORS,
            heartbeat: HEARTBEAT,
            idle: IDLE,
            progress: PROGRESS,
        }
    }
}

impl Limits {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks that a peer may have open in one session; [`ASKS`] unless said, 2 to [`ASKS_MAX`].
    #[must_use]
    pub fn asks(mut self, asks: u32) -> Self {
        self.asks = asks.clamp(2, ASKS_MAX);
        self
    }

    /// Bytes of asks and tells of a peer's that targets have not yet taken; [`IN_FLIGHT_BYTES`]
    /// unless said, at least two targets' first windows. One record may exceed it.
    #[must_use]
    pub fn in_flight_bytes(mut self, bytes: u64) -> Self {
        self.in_flight_bytes = bytes.clamp(2 * FIRST_BYTES, u64::from(u32::MAX));
        self
    }

    /// Bytes of sent and unacknowledged records beyond which no more asks are taken;
    /// [`RETAINED_BYTES`] unless said, at least [`RETAINED_BYTES_MIN`].
    #[must_use]
    pub fn retained_bytes(mut self, bytes: u64) -> Self {
        self.retained_bytes = bytes.clamp(RETAINED_BYTES_MIN, u64::from(u32::MAX));
        self
    }

    /// Bytes of one payload; [`PAYLOAD_BYTES`] unless said, 1 KiB to 1 GiB.
    #[must_use]
    pub fn payload_bytes(mut self, bytes: u64) -> Self {
        self.payload_bytes = bytes.clamp(1 << 10, 1 << 30);
        self
    }

    /// Targets that a peer may hold of this node's in one session; [`TARGETS`] unless said, 1 to
    /// 65,536.
    #[must_use]
    pub fn targets(mut self, targets: u32) -> Self {
        self.targets = targets.clamp(1, 1 << 16);
        self
    }

    /// Watches that a peer may have over the ends of this node's targets; [`MONITORS`] unless said,
    /// at most 65,536.
    #[must_use]
    pub fn monitors(mut self, monitors: u32) -> Self {
        self.monitors = monitors.min(1 << 16);
        self
    }

    /// Silence after which a peer is asked for a sign of life; [`HEARTBEAT`] unless said.
    #[must_use]
    pub fn heartbeat(mut self, heartbeat: Duration) -> Self {
        self.heartbeat = heartbeat.clamp(PATIENCE_MIN, PATIENCE_MAX);
        self
    }

    /// Silence after which a connection counts as dead; [`IDLE`] unless said. Twice the heartbeat
    /// at least, whatever is said.
    #[must_use]
    pub fn idle(mut self, idle: Duration) -> Self {
        self.idle = idle.clamp(PATIENCE_MIN, PATIENCE_MAX);
        self
    }

    /// Time that a frame or a large payload may stand still half-way; [`PROGRESS`] unless said.
    #[must_use]
    pub fn progress(mut self, progress: Duration) -> Self {
        self.progress = progress.clamp(PATIENCE_MIN, PATIENCE_MAX);
        self
    }
}

/// Least bytes of a token: 128 bits, where they are random, are not guessed.
pub const TOKEN_BYTES_MIN: usize = 16;

/// Most bytes of a token: what a greeting holds.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// Most bytes of an export's name.
pub const NAME_BYTES_MAX: usize = 255;

/// Actors that a node exports, unless it says otherwise.
pub const EXPORTS: usize = 1 << 16;

/// Sessions of peers that a node keeps, unless it says otherwise: idle ones cost some kilobytes.
pub const SESSIONS: usize = 1 << 14;

/// Connections of peers that have not yet shown who they are: they have a pool of their own, so
/// that those who never do take nothing from the others.
pub const STRANGERS: usize = 64;

/// Time in which a peer must have shown who it is, and a node must have answered.
pub const HANDSHAKE: Duration = Duration::from_secs(10);

/// Connections among those that may come from one address, so that no one address has them all. Of
/// IPv6 those count as one that share the first 64 bits, which are what a host is given.
pub const STRANGERS_PER_SOURCE: usize = STRANGERS / 4;

/// Bytes that are still read of a peer whose encryption failed, so that it gets to hear why: more
/// than it says before it waits for an answer.
#[cfg(feature = "remote-tls")]
pub(crate) const TLS_FAREWELL_BYTES: u64 = 16 << 10;

/// Time in which a look-up must be answered.
pub const LOOK_UP: Duration = Duration::from_secs(30);

/// Time in which an ask of another process must be answered, from when it was sent, unless it says
/// otherwise: longer than what one waits for in vain, and than a connection takes to be had again.
/// One that waits for room on the way is handed back when nothing has gone to its actor for so
/// long; a tell waits as at a full mailbox, without such a limit.
pub const ASK_LIMIT: Duration = Duration::from_secs(30);

/// Time that a session outlives its connection, unless a node says otherwise: a restart of a
/// switch is survived, and what a lost peer leaves is soon gone.
pub const RESUME: Duration = Duration::from_secs(30);

/// Pause before the second attempt to connect again; it doubles with each.
pub const BACKOFF_MIN: Duration = Duration::from_millis(50);

/// Longest of these pauses.
pub const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Pause after an address could not accept, as when the process has too many files open.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Bytes that the first read of a connection has room for: what an idle session keeps is small.
pub(crate) const READ_BYTES_MIN: usize = 4 << 10;

/// Bytes that a read has room for at most, where those before it were filled: what a fast link
/// brings between two turns.
pub(crate) const READ_BYTES_MAX: usize = 128 << 10;

/// Reads of one turn, before others have theirs. What a turn writes is bounded in bytes, by
/// [`WRITE_BYTES`].
pub(crate) const READS_PER_TURN: usize = 8;

/// Messages of one read that are handled before their answers are written: a peer with more under
/// way goes on while the rest is handled, at the cost of a system call for so many.
pub(crate) const EVENTS_PER_WRITE: usize = 128;

/// Time that a node which ends its sessions gives their last words.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// Bytes that one direction of a connection within the process holds.
pub const MEMORY_BUFFER: usize = 64 << 10;

/// Connections within the process that wait to be accepted.
pub(crate) const MEMORY_ACCEPTS: usize = 1024;
