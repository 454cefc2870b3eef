//! Targets, look-ups, and monitors.

use bytes::Bytes;

use super::Session;
use super::body::Body;
use super::imports::Behind;
use crate::remote::frame::{LookUpId, MonitorId, Record, TargetId};
use crate::remote::limits::CONTROL_BYTES;

impl Session {
    /// A target of ours that is given to the peer, which may have `capacity` asks open to it.
    /// `None` at the limit of targets.
    pub(crate) fn export(&mut self, capacity: u32) -> Option<TargetId> {
        self.exports.add(capacity)
    }

    /// It is given once more, found again. False if the peer does not hold
    /// it.
    pub(crate) fn export_again(&mut self, target: TargetId) -> bool {
        self.exports.give(target)
    }

    /// The end of an export was heard here: nothing that comes from now on means it by its number.
    pub(crate) fn released(&mut self, target: TargetId) {
        self.exports.released(target);
    }

    /// Whether the peer holds it.
    pub(crate) fn holds(&self, target: TargetId) -> bool {
        self.exports.is_held(target)
    }

    /// It was to be given in a message that was not sent.
    pub(crate) fn take_back(&mut self, target: TargetId) {
        // One that is not held was taken back with all others, as the session has ended.
        if self.exports.hand_back(target, 1) == Ok(true) {
            self.taken_back.push(target);
        }
    }

    /// Who was taken back for good since the last call. Each is [`released`](Self::released) when
    /// nobody uses its number any more.
    pub(crate) fn taken_back(&mut self) -> Vec<TargetId> {
        std::mem::take(&mut self.taken_back)
    }

    /// A message of the peer's gives a target of its own. False for a number that it can't have.
    pub(crate) fn import(&mut self, target: TargetId) -> bool {
        !self.closed && self.imports.give(target).is_ok()
    }

    /// Nobody here holds the peer's target any more. Asks that are open to it go on.
    pub(crate) fn release(&mut self, target: TargetId) {
        let count = self.imports.hand_back(target);
        if count == 0 {
            return;
        }
        let record = Record::Release { target, count };
        if self
            .imports
            .known(target)
            .is_some_and(|import| import.large)
        {
            let behind = Behind {
                record,
                payload: Bytes::new(),
                ask: None,
            };
            return self.imports.put_behind(target, behind);
        }
        self.append(&record, Body::Copied(&[]));
    }

    /// Looks up what the peer exports. `None` at the limit, or beyond the rate: later.
    pub(crate) fn look_up(&mut self, payload: Body<'_>) -> Option<LookUpId> {
        if self.closed || !is_control(&payload) || !self.look_up_rate.take(self.now) {
            return None;
        }
        let look_up = LookUpId(self.look_ups.take()?);
        self.append(
            &Record::LookUp {
                look_up,
                payload: Bytes::new(),
            },
            payload,
        );
        Some(look_up)
    }

    /// Answers a look-up of the peer's; the target, if there is one, was exported for it.
    pub(crate) fn found(&mut self, look_up: LookUpId, target: Option<TargetId>, payload: Body<'_>) {
        if !self.peer_look_ups.leave(look_up.0) {
            return;
        }
        let payload = if is_control(&payload) {
            payload
        } else {
            Body::Copied(&[])
        };
        self.append(
            &Record::Found {
                look_up,
                target,
                payload: Bytes::new(),
            },
            payload,
        );
    }

    /// Watches the end of the peer's target. `None` at the limit, or if it is not held.
    pub(crate) fn monitor(&mut self, target: TargetId) -> Option<MonitorId> {
        if self.closed {
            return None;
        }
        self.imports.held(target)?;
        let monitor = MonitorId(self.monitors.take()?);
        self.append(&Record::Monitor { monitor, target }, Body::Copied(&[]));
        Some(monitor)
    }

    /// Its end is of no interest any more; `Down` comes all the same, and frees the number.
    pub(crate) fn unmonitor(&mut self, monitor: MonitorId) {
        if self.monitors.revoke(monitor.0) {
            self.append(&Record::Unmonitor { monitor }, Body::Copied(&[]));
        }
    }

    /// Tells the peer of the end of what it monitors, or of the monitor itself.
    pub(crate) fn down(&mut self, monitor: MonitorId, payload: Body<'_>) {
        if !self.peer_monitors.leave(monitor.0) {
            return;
        }
        let payload = if is_control(&payload) {
            payload
        } else {
            Body::Copied(&[])
        };
        self.append(
            &Record::Down {
                monitor,
                payload: Bytes::new(),
            },
            payload,
        );
    }
}

fn is_control(payload: &Body<'_>) -> bool {
    payload.len() <= CONTROL_BYTES as usize
}
