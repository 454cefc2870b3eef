//! What the peer says.

use std::time::Instant;

use bytes::{Bytes, BytesMut};

use super::asks::Over;
use super::body::Body;
use super::event::Event;
use super::window::Window;
use super::{Session, UNKNOWN_TARGET};
use crate::remote::frame::{AskId, AskKey, Frame, Part, Record, Records, TargetId, Violation};

impl Session {
    /// Takes all whole frames off the front of `input`, and tells what they say. After an error
    /// the session is closed: `transmit` gives what is left to be written, last the reason.
    pub(crate) fn receive(
        &mut self,
        input: &mut BytesMut,
        now: Instant,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        self.now = self.now.max(now);
        let mut frames = 0;
        while !self.closed {
            let taken = Frame::take(input, self.payload_bytes).and_then(|frame| match frame {
                Some(frame) => self.take_frame(frame, events).map(|()| true),
                None => Ok(false),
            });
            match taken {
                Ok(true) => frames += 1,
                Ok(false) => break,
                Err(violation) => return self.violated(violation),
            }
        }
        if self.closed {
            input.clear();
            return Ok(());
        }
        self.counters.frames_received += frames;
        self.counters.reads += u64::from(frames > 0);
        self.pulse.hear(now, frames > 0, !input.is_empty());
        self.give_room(events);
        Ok(())
    }

    fn take_frame(&mut self, frame: Frame, events: &mut Vec<Event>) -> Result<(), Violation> {
        let Frame {
            first,
            ack,
            len,
            mut records,
        } = frame;
        if first == 0 || first > self.received + 1 {
            return Err(Violation::Gap);
        }
        let mut says_something = self.log.acknowledge(ack)?;
        if says_something {
            self.pace.acknowledge(ack, self.now);
        }
        let mut number = first;
        while !records.is_empty() && !self.closed {
            let record = records.take()?;
            if number > self.received {
                self.received = number;
                self.counters.records_received += 1;
                says_something = true;
                self.take(record, events)?;
            } else {
                self.counters.records_known += 1;
            }
            number += 1;
        }
        if !says_something && !self.peer_pings.take(self.now) {
            return Err(Violation::Flood);
        }
        self.unacknowledged += len as u64;
        Ok(())
    }

    #[inline]
    fn take(&mut self, record: Record, events: &mut Vec<Event>) -> Result<(), Violation> {
        match record {
            Record::Ask {
                ask,
                target,
                kind,
                deadline_ms,
                payload,
            } => {
                let Some(ask) = self.begin_ask(ask, target, payload.len())? else {
                    return Ok(());
                };
                self.request(
                    Event::Ask {
                        ask,
                        target,
                        kind,
                        deadline_ms,
                        payload,
                    },
                    events,
                );
            }
            Record::Tell {
                target,
                kind,
                payload,
            } => {
                if self.exports.is_held(target) {
                    self.exports.arrive(target, payload.len(), false)?;
                    let tell = Event::Tell {
                        target,
                        kind,
                        payload,
                    };
                    self.request(tell, events);
                } else {
                    self.counters.tells_astray += 1;
                }
            }
            Record::Reply { ask, payload } => {
                let over = self.finish_ask(ask, events)?;
                self.counters.replies_late += u64::from(over.cancelled);
                events.push(over.or_ended(|ask| Event::Reply { ask, payload }));
            }
            Record::Error { ask, code, payload } => {
                let over = self.finish_ask(ask, events)?;
                self.counters.replies_late += u64::from(over.cancelled);
                events.push(over.or_ended(|ask| Event::Error { ask, code, payload }));
            }
            Record::Ended { ask } => {
                let over = self.finish_ask(ask, events)?;
                events.push(Event::Ended { ask: over.key });
            }
            Record::Credit {
                target,
                records,
                bytes,
            } => {
                let import = self.imports.credit(target, records, bytes)?;
                if import.grants() {
                    events.push(Event::Granted { target });
                }
            }
            record => self.take_seldom(record, events)?,
        }
        Ok(())
    }

    fn take_seldom(&mut self, record: Record, events: &mut Vec<Event>) -> Result<(), Violation> {
        match record {
            Record::Cancel { ask } => {
                if !self.peer_cancels.take(self.now) {
                    return Err(Violation::Flood);
                }
                if let Some(ask) = self.answers.cancel(ask) {
                    self.request(Event::Cancelled { ask }, events);
                }
            }
            Record::Window {
                target,
                asks,
                records,
                bytes,
            } => {
                let import = self.imports.known(target).ok_or(Violation::Name)?;
                import.window = Window {
                    asks,
                    records,
                    bytes,
                };
                if import.grants() {
                    events.push(Event::Granted { target });
                }
            }
            Record::Release { target, count } => {
                if self.exports.hand_back(target, count)? {
                    self.request(Event::Released { target }, events);
                }
            }
            Record::Ping { token } => {
                if !self.peer_pings.take(self.now) {
                    return Err(Violation::Flood);
                }
                self.pong = Some(token);
            }
            // It has been heard, which is all that is asked of it.
            Record::Pong { .. } => {}
            Record::Chunk {
                partial,
                part,
                payload,
            } => {
                return self.take_chunk(partial, part, &payload, events);
            }
            Record::Close { code } => {
                self.closed = true;
                events.push(Event::Closed { code });
            }
            record => self.take_name(record, events)?,
        }
        Ok(())
    }

    /// Look-ups and monitors.
    fn take_name(&mut self, record: Record, events: &mut Vec<Event>) -> Result<(), Violation> {
        match record {
            Record::LookUp { look_up, payload } => {
                if !self.peer_look_up_rate.take(self.now) {
                    return Err(Violation::Flood);
                }
                self.peer_look_ups.arrive(look_up.0)?;
                self.request(Event::LookUp { look_up, payload }, events);
            }
            Record::Found {
                look_up,
                target,
                payload,
            } => {
                self.look_ups.give_back(look_up.0)?;
                if let Some(target) = target {
                    self.imports.give(target)?;
                }
                events.push(Event::Found {
                    look_up,
                    target,
                    payload,
                });
            }
            Record::Monitor { monitor, target } => {
                self.peer_monitors.arrive(monitor.0)?;
                if self.exports.is_held(target) {
                    self.request(Event::Monitor { monitor, target }, events);
                } else {
                    self.answer_at_once()?;
                    self.down(monitor, Body::Copied(&[]));
                }
            }
            Record::Unmonitor { monitor } => {
                if self.peer_monitors.revoke(monitor.0) {
                    self.request(Event::Unmonitor { monitor }, events);
                }
            }
            Record::Down { monitor, payload } => {
                self.monitors.give_back(monitor.0)?;
                events.push(Event::Down { monitor, payload });
            }
            // `take` and `take_seldom` take all others.
            _ => return Err(Violation::Garbled),
        }
        Ok(())
    }

    fn take_chunk(
        &mut self,
        partial: u32,
        part: Part,
        payload: &Bytes,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let whole = self.partials.take(partial, part, payload, self.now)?;
        let Some(whole) = whole else { return Ok(()) };
        let mut records = Records::new(whole, 0, self.payload_bytes);
        let record = records.take()?;
        let may_be_large = matches!(
            record,
            Record::Ask { .. } | Record::Tell { .. } | Record::Reply { .. } | Record::Error { .. }
        );
        if !may_be_large || !records.is_empty() {
            return Err(Violation::Partial);
        }
        self.take(record, events)
    }

    /// An ask of the peer's has come; one to a target that it does not hold fails alone.
    #[inline]
    fn begin_ask(
        &mut self,
        ask: AskId,
        target: TargetId,
        payload: usize,
    ) -> Result<Option<AskKey>, Violation> {
        let is_held = self.exports.is_held(target);
        let key = self.answers.begin(ask, is_held.then_some(target))?;
        if is_held {
            self.exports.arrive(target, payload, true)?;
            return Ok(Some(key));
        }
        self.answer_at_once()?;
        self.fail(key, UNKNOWN_TARGET, Body::Copied(&[]));
        Ok(None)
    }

    /// What is sent to a target that the peer does not hold is answered without waiting at the
    /// gate, as often as fits: who keeps to the rules sends none of it.
    fn answer_at_once(&self) -> Result<(), Violation> {
        if self.is_full() {
            Err(Violation::Flood)
        } else {
            Ok(())
        }
    }

    /// An ask of ours is over.
    #[inline]
    fn finish_ask(&mut self, ask: AskId, events: &mut Vec<Event>) -> Result<Over, Violation> {
        let over = self.asks.finish(ask, self.log.sent())?;
        let target = over.target;
        if self.imports.answered(target) {
            events.push(Event::Granted { target });
        }
        Ok(over)
    }

    /// What makes this side hold or say more waits while too much is unacknowledged, in order.
    #[inline]
    fn request(&mut self, event: Event, events: &mut Vec<Event>) {
        if self.gate.is_empty() && !self.is_full() {
            events.push(event);
        } else {
            self.gate.push_back(event.alone());
        }
    }

    /// At the session's end: tells that still wait. Their sender was told that they have been
    /// received, and they are handled. Asks that wait have an unknown outcome, as all open ones.
    pub(crate) fn tells_at_gate(&mut self) -> Vec<Event> {
        let waiting = std::mem::take(&mut self.gate).into_iter();
        waiting
            .filter(|event| matches!(event, Event::Tell { .. }))
            .collect()
    }

    /// Whether requests wait that need not.
    pub(super) fn may_open_gate(&self) -> bool {
        !self.gate.is_empty() && !self.is_full()
    }

    /// Lets requests in, and tells who waits, if there is room for them now.
    pub(super) fn give_room(&mut self, events: &mut Vec<Event>) {
        if self.may_open_gate() {
            events.extend(self.gate.drain(..));
        }
        let has_room = [false, true].map(|is_ask| self.has_room(is_ask));
        if self.wanted.grant(|is_ask| has_room[usize::from(is_ask)]) {
            events.push(Event::GrantedAll);
        }
    }
}
