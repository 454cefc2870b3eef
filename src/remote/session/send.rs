//! Asks, tells, and answers on their way out.

use std::time::Instant;

use bytes::Bytes;

use super::admission::Admission;
use super::asks::Waiting;
use super::body::Body;
use super::imports::Behind;
use super::larges::Purpose;
use super::window::cost;
use super::{REPLY_REFUSED, REPLY_TOO_LARGE, Session};
use crate::remote::frame::{AskKey, KindId, Record, TargetId};
use crate::remote::limits::{CHUNK_BYTES, RETAINED_OVERSHOOT};

impl Session {
    /// Queues an ask, if there is room; if there is none, an event tells when there is. Its key
    /// names it until `Reply`, `Error` or `Ended` comes for it.
    pub(crate) fn ask(
        &mut self,
        target: TargetId,
        kind: KindId,
        deadline_ms: Option<u32>,
        payload: Body<'_>,
    ) -> Result<AskKey, Admission> {
        self.admit(target, payload.len(), true)?;
        let key = self.asks.take(target);
        let (ask, nothing) = (key.ask, Bytes::new());
        let record = Record::Ask {
            ask,
            target,
            kind,
            deadline_ms,
            payload: nothing,
        };
        self.send(target, record, payload, Some(key));
        Ok(key)
    }

    /// Queues a tell, likewise.
    pub(crate) fn tell(
        &mut self,
        target: TargetId,
        kind: KindId,
        payload: Body<'_>,
    ) -> Result<(), Admission> {
        self.admit(target, payload.len(), false)?;
        let record = Record::Tell {
            target,
            kind,
            payload: Bytes::new(),
        };
        self.send(target, record, payload, None);
        Ok(())
    }

    /// The asker has gone. True: the ask is over, and nothing comes for it; if it was never sent,
    /// its room is free again, which no event tells. False: `Ended` will come.
    pub(crate) fn cancel(&mut self, key: AskKey, now: Instant) -> bool {
        self.now = self.now.max(now);
        let Some((waiting, target, number)) = self.asks.look(key) else {
            return true;
        };
        if waiting == Waiting::End {
            return false;
        }
        if number == 0 {
            self.withdraw(key, target);
            return true;
        }
        self.asks.cancel(key);
        if self.late_cancels.is_empty() && self.cancels.take(self.now) {
            self.append(&Record::Cancel { ask: key.ask }, Body::Copied(&[]));
        } else {
            self.late_cancels.push_back(key);
        }
        false
    }

    /// Answers an ask of the peer's; `Ended` goes out instead if its asker has gone.
    pub(crate) fn reply(&mut self, key: AskKey, payload: Body<'_>) {
        let Some(cancelled) = self.finish(key) else {
            return;
        };
        let (ask, len) = (key.ask, payload.len() as u64);
        if cancelled {
            self.counters.replies_suppressed += 1;
            return self.append(&Record::Ended { ask }, Body::Copied(&[]));
        }
        let refused = if len > self.peer.payload_bytes {
            Some(REPLY_TOO_LARGE)
        } else {
            let is_too_much = self.retained() + len > self.retained_max * RETAINED_OVERSHOOT;
            is_too_much.then_some(REPLY_REFUSED)
        };
        if let Some(code) = refused {
            self.counters.replies_refused += 1;
            let error = Record::Error {
                ask,
                code,
                payload: Bytes::new(),
            };
            return self.append(&error, Body::Copied(&[]));
        }
        let record = Record::Reply {
            ask,
            payload: Bytes::new(),
        };
        if len > u64::from(CHUNK_BYTES) {
            self.larges
                .push(Purpose::Answer, &record, payload.into_bytes());
        } else {
            self.pace.small(self.now);
            self.append(&record, payload);
        }
    }

    /// Answers it with a failure. What belongs to it must be short; else it is left out.
    pub(crate) fn fail(&mut self, key: AskKey, code: u32, payload: Body<'_>) {
        let Some(cancelled) = self.finish(key) else {
            return;
        };
        let ask = key.ask;
        if cancelled {
            return self.append(&Record::Ended { ask }, Body::Copied(&[]));
        }
        let is_short = payload.len() as u64 <= u64::from(CHUNK_BYTES).min(self.peer.payload_bytes);
        let payload = if is_short { payload } else { Body::Copied(&[]) };
        self.append(
            &Record::Error {
                ask,
                code,
                payload: Bytes::new(),
            },
            payload,
        );
    }

    /// It is over without an answer.
    pub(crate) fn ended(&mut self, key: AskKey) {
        if self.finish(key).is_some() {
            self.append(&Record::Ended { ask: key.ask }, Body::Copied(&[]));
        }
    }

    /// The target has taken so many asks and tells, with so many bytes of payload in all.
    #[inline]
    pub(crate) fn consumed(&mut self, target: TargetId, records: u32, payload_bytes: u64) {
        self.exports.consumed(target, records, payload_bytes);
    }

    /// Ends an ask of the peer's: whether it was cancelled. `None` if it was over.
    #[inline]
    fn finish(&mut self, key: AskKey) -> Option<bool> {
        let (target, cancelled) = self.answers.finish(key)?;
        if let Some(target) = target {
            self.exports.answered(target);
        }
        Some(cancelled)
    }

    #[inline]
    pub(super) fn append(&mut self, record: &Record, payload: Body<'_>) {
        self.log.append(record, payload);
    }

    #[inline]
    fn admit(&mut self, target: TargetId, bytes: usize, is_ask: bool) -> Result<(), Admission> {
        match self.admission(target, bytes, is_ask) {
            Admission::Granted => {
                self.imports.charge(target, cost(bytes), is_ask);
                Ok(())
            }
            refused => Err(refused),
        }
    }

    #[inline]
    pub(super) fn admission(&mut self, target: TargetId, bytes: usize, is_ask: bool) -> Admission {
        if self.closed {
            return Admission::Unknown;
        }
        if bytes as u64 > self.peer.payload_bytes {
            return Admission::TooLarge {
                limit: self.peer.payload_bytes,
            };
        }
        let session_has_room = self.has_room(is_ask);
        let Some(import) = self.imports.held(target) else {
            return Admission::Unknown;
        };
        if !import.window.has_room(&import.used, is_ask) {
            import.wanted.note(is_ask);
            self.counters.refusals += 1;
            return Admission::Target;
        }
        if !session_has_room {
            self.wanted.note(is_ask);
            self.counters.refusals += 1;
            return Admission::Session;
        }
        Admission::Granted
    }

    /// Whether the session as a whole has room for one more.
    #[inline]
    pub(super) fn has_room(&self, is_ask: bool) -> bool {
        (!is_ask || self.asks.has_room())
            && self.imports.bytes() < self.peer.in_flight_bytes
            && !self.is_full()
    }

    /// Queues what was admitted, behind what goes to the same target before it.
    fn send(&mut self, target: TargetId, record: Record, payload: Body<'_>, ask: Option<AskKey>) {
        let Some(import) = self.imports.known(target) else {
            return;
        };
        if import.large {
            let payload = payload.into_bytes();
            return self.imports.put_behind(
                target,
                Behind {
                    record,
                    payload,
                    ask,
                },
            );
        }
        if payload.len() > CHUNK_BYTES as usize {
            import.large = true;
            let purpose = match ask {
                Some(key) => Purpose::Ask(target, key),
                None => Purpose::Tell(target),
            };
            return self.larges.push(purpose, &record, payload.into_bytes());
        }
        self.pace.small(self.now);
        let number = self.log.append(&record, payload);
        if let Some(key) = ask {
            self.asks.queued(key, number);
        }
    }

    /// The large record to this target is all sent, or given up: what is behind it goes on.
    pub(super) fn go_on(&mut self, target: TargetId) {
        if let Some(import) = self.imports.known(target) {
            import.large = false;
        }
        while let Some(Behind {
            record,
            payload,
            ask,
        }) = self.imports.take_behind(target)
        {
            self.send(target, record, Body::Shared(payload), ask);
        }
    }

    /// Takes back an ask that is held back or cut in part.
    fn withdraw(&mut self, key: AskKey, target: TargetId) {
        let payload = if let Some(behind) = self.imports.withdraw(target, key) {
            behind.payload.len()
        } else if let Some((len, abandon)) = self.larges.withdraw(key) {
            if let Some(abandon) = abandon {
                self.append(&abandon, Body::Copied(&[]));
            }
            self.go_on(target);
            len
        } else {
            return;
        };
        self.asks.leave(key);
        let _ = self.imports.credit(target, 1, cost(payload));
        self.imports.answered(target);
    }
}
