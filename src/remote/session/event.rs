//! What a session tells its driver.

use bytes::Bytes;

use crate::remote::frame::{AskKey, KindId, LookUpId, MonitorId, TargetId};
use crate::remote::limits::CHUNK_BYTES;

/// Something that came over the link, or that became possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// The peer asks one of our targets. It is over with [`Session::reply`](super::Session::reply),
    /// `fail` or `ended`; [`consumed`](super::Session::consumed) once the target has taken it.
    Ask {
        ask: AskKey,
        target: TargetId,
        kind: KindId,
        deadline_ms: Option<u32>,
        payload: Bytes,
    },
    /// The peer tells one of our targets; `consumed` once the target has taken it.
    Tell {
        target: TargetId,
        kind: KindId,
        payload: Bytes,
    },
    /// The asker of this ask has gone. It still wants `reply`, `fail` or `ended`.
    Cancelled { ask: AskKey },
    /// The answer to an ask of ours; its key names nothing from now on. So with the next two.
    Reply { ask: AskKey, payload: Bytes },
    /// Its failure.
    Error {
        ask: AskKey,
        code: u32,
        payload: Bytes,
    },
    /// An ask that we cancelled is over.
    Ended { ask: AskKey },
    /// The peer looks up a name; answered with `found`.
    LookUp { look_up: LookUpId, payload: Bytes },
    /// The answer to a look-up of ours. The target, if there is one, counts as imported once more.
    Found {
        look_up: LookUpId,
        target: Option<TargetId>,
        payload: Bytes,
    },
    /// The peer watches a target of ours; over with `down`.
    Monitor {
        monitor: MonitorId,
        target: TargetId,
    },
    /// It no longer does; still wants `down`.
    Unmonitor { monitor: MonitorId },
    /// The end of what we watched.
    Down { monitor: MonitorId, payload: Bytes },
    /// The peer holds this target of ours no more: the export is over. Its number is given anew
    /// after [`released`](super::Session::released).
    Released { target: TargetId },
    /// Who waits for room to this target may try again.
    Granted { target: TargetId },
    /// Whoever waits for room may try again.
    GrantedAll,
    /// Nothing came from the peer for too long: this connection is dead, the session is not.
    Silent,
    /// The peer has ended the session.
    Closed { code: u32 },
}

impl Event {
    /// Without the rest of the frame that a request's payload lies in, which that keeps: for one
    /// that is to wait. A large payload is a buffer of its own.
    pub(super) fn alone(mut self) -> Self {
        let payload = match &mut self {
            Self::Ask { payload, .. } | Self::Tell { payload, .. } => payload,
            Self::LookUp { payload, .. } => payload,
            _ => return self,
        };
        if payload.len() <= CHUNK_BYTES as usize {
            *payload = Bytes::copy_from_slice(payload);
        }
        self
    }
}
