//! What is said over a link: records, as values.

use bytes::Bytes;

use super::ids::{AskId, KindId, LookUpId, MonitorId, TargetId};

/// One record. Payloads are the codec's: this module never looks inside of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Record {
    /// A message whose sender waits for an answer, for `deadline_ms` from now if it says so.
    Ask {
        ask: AskId,
        target: TargetId,
        kind: KindId,
        deadline_ms: Option<u32>,
        payload: Bytes,
    },
    /// A message that is not answered.
    Tell {
        target: TargetId,
        kind: KindId,
        payload: Bytes,
    },
    /// The answer to an ask.
    Reply { ask: AskId, payload: Bytes },
    /// The failure of an ask: a code of the codec's, and what belongs to it.
    Error {
        ask: AskId,
        code: u32,
        payload: Bytes,
    },
    /// Nobody waits for this ask any more. It keeps its place until it is answered or `Ended`.
    Cancel { ask: AskId },
    /// A cancelled ask is over, whatever became of it.
    Ended { ask: AskId },
    /// So much of what was sent to the target has been taken: its sender may send as much again.
    Credit {
        target: TargetId,
        records: u32,
        bytes: u64,
    },
    /// How much may be under way to the target from now on.
    Window {
        target: TargetId,
        asks: u32,
        records: u32,
        bytes: u64,
    },
    /// Asks for what is exported under a name.
    LookUp { look_up: LookUpId, payload: Bytes },
    /// The answer: a target and what belongs to it, or none and the reason.
    Found {
        look_up: LookUpId,
        target: Option<TargetId>,
        payload: Bytes,
    },
    /// Asks to be told when the target ends.
    Monitor {
        monitor: MonitorId,
        target: TargetId,
    },
    /// Takes that back; answered with `Down` all the same.
    Unmonitor { monitor: MonitorId },
    /// The end of what was monitored, or of the monitor.
    Down { monitor: MonitorId, payload: Bytes },
    /// So many of the times that the target was given are handed back.
    Release { target: TargetId, count: u32 },
    /// Asks for a sign of life.
    Ping { token: u64 },
    /// Gives it.
    Pong { token: u64 },
    /// A part of a record that is too large for one frame.
    Chunk {
        partial: u32,
        part: Part,
        payload: Bytes,
    },
    /// The sender ends the session, for a reason.
    Close { code: u32 },
}

/// Which part of a large record a chunk is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The first, of a record that takes `total` bytes.
    First { total: u64 },
    /// One that follows; the record is whole when all its bytes are there.
    More,
    /// None: the record is given up.
    Abandon,
}
