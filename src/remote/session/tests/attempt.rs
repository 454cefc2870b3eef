//! A session and a peer that does whatever some bytes say. The fuzz target `session` runs this too.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use crate::remote::frame::{AskKey, KindId, Record, TargetId};
use crate::remote::limits::{
    CONTROL_BYTES, FRAME_BYTES, Limits, RETAINED_BYTES_MIN, RETAINED_OVERSHOOT,
};
use crate::remote::session::{Event, Session, Terms};

struct Attempt<'a> {
    data: &'a [u8],
    session: Session,
    input: BytesMut,
    now: Instant,
    /// The number of the peer's next record, if it counts as it should.
    next: u64,
    events: Vec<Event>,
    asked: Vec<AskKey>,
    running: Vec<AskKey>,
}

/// Does what `data` says: in turn, frames of the peer's, and what a program on this side does.
/// Bounds hold whatever it is.
pub(crate) fn attempt(data: &[u8]) {
    let now = Instant::now();
    let limits = Limits::new()
        .asks(8)
        .in_flight_bytes(0)
        .retained_bytes(0)
        .payload_bytes(2_000);
    let mut attempt = Attempt {
        data,
        session: Session::new(&limits, Terms::of(&limits), now),
        input: BytesMut::new(),
        now,
        next: 1,
        events: Vec::new(),
        asked: Vec::new(),
        running: Vec::new(),
    };
    attempt.session.connected(0, now).expect("it is the first");
    (0..3).for_each(|_| attempt.hold_a_target());
    while attempt.step().is_some() {
        attempt.hear();
        attempt.check();
    }
    let open = attempt.session.counters().asks_open as usize;
    assert!(
        attempt.session.end().asks.len() <= open,
        "told of what is open, once"
    );
    assert!(
        attempt.session.end().asks.is_empty(),
        "told of what is open, once"
    );
}

impl<'a> Attempt<'a> {
    /// Exports a target, and has the peer give one.
    fn hold_a_target(&mut self) {
        let target = self.session.export(8);
        let look_up = self
            .session
            .look_up(b"name".as_slice().into())
            .expect("there is room");
        self.session.transmit(&mut Vec::<Bytes>::new());
        let mut found = BytesMut::new();
        Record::Found {
            look_up,
            target,
            payload: Bytes::new(),
        }
        .put(&mut found);
        self.say(1, 0, &found);
        let heard = self
            .session
            .receive(&mut self.input, self.now, &mut self.events);
        heard.expect("it was asked");
    }

    fn byte(&mut self) -> Option<u8> {
        self.data.split_off_first().copied()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::from(self.byte()?).min(self.data.len());
        self.data.split_off(..len)
    }

    /// One thing that happens; `None` when `data` is at its end.
    fn step(&mut self) -> Option<()> {
        let what = self.byte()?;
        let (target, kind) = (TargetId(u32::from(what >> 6)), KindId(0));
        match what % 16 {
            0..=3 => self.frame()?,
            4 => {
                let bytes = self.bytes()?;
                self.input.extend_from_slice(bytes);
            }
            5 | 6 => {
                self.session.transmit(&mut Vec::<Bytes>::new());
            }
            7 => {
                let body = self.body()?;
                self.asked
                    .extend(self.session.ask(target, kind, None, body.into()).ok());
            }
            8 => {
                let body = self.body()?;
                let _ = self.session.tell(target, kind, body.into());
            }
            9 => {
                if let Some(key) = self.asked.pop() {
                    self.session.cancel(key, self.now);
                }
            }
            10 | 11 => self.answer(what)?,
            12 => {
                let tenths = u64::from(self.byte()?);
                self.now += Duration::from_millis(100 * tenths);
                let _ = self.session.on_timeout(self.now, &mut self.events);
            }
            13 => {
                self.session.disconnected();
                self.input.clear();
                let received = u64::from(self.byte()?);
                let _ = self.session.connected(received, self.now);
            }
            14 => {
                self.session.look_up(b"name".as_slice().into());
                self.session.monitor(target);
            }
            _ => self.session.release(target),
        }
        let _ = self
            .session
            .receive(&mut self.input, self.now, &mut self.events);
        Some(())
    }

    /// A frame whose head is as it should be, so that its records are looked at.
    fn frame(&mut self) -> Option<()> {
        let (records, body) = (self.byte()?, self.bytes()?);
        let ack = self.byte()? & 0x7f;
        self.say(records % 4, ack, body);
        Some(())
    }

    fn say(&mut self, records: u8, ack: u8, body: &[u8]) {
        let number = self.next.min(100) as u8;
        self.next += u64::from(records);
        self.input
            .extend_from_slice(&(body.len() as u32 + 2).to_le_bytes());
        self.input.extend_from_slice(&[number, ack]);
        self.input.extend_from_slice(body);
    }

    fn body(&mut self) -> Option<Bytes> {
        let len = usize::from(self.byte()?) * 8;
        Some(vec![0; len].into())
    }

    fn answer(&mut self, what: u8) -> Option<()> {
        let body = self.body()?;
        let Some(key) = self.running.pop() else {
            return Some(());
        };
        match what >> 6 {
            0 => self.session.ended(key),
            1 => self.session.fail(key, 1, body.into()),
            _ => self.session.reply(key, body.into()),
        }
        Some(())
    }

    fn hear(&mut self) {
        for event in std::mem::take(&mut self.events) {
            match event {
                Event::Ask {
                    ask,
                    target,
                    payload,
                    ..
                } => {
                    self.session.consumed(target, 1, payload.len() as u64);
                    self.running.push(ask);
                }
                Event::Tell {
                    target, payload, ..
                } => {
                    self.session.consumed(target, 1, payload.len() as u64);
                }
                Event::LookUp { look_up, payload } => {
                    self.session.found(look_up, None, payload.into());
                }
                Event::Released { target } => self.session.released(target),
                Event::Monitor { monitor, .. } => self.session.down(monitor, b"".as_slice().into()),
                Event::Reply { ask, .. } | Event::Error { ask, .. } | Event::Ended { ask } => {
                    self.asked.retain(|key| *key != ask);
                }
                _ => {}
            }
        }
    }

    fn check(&self) {
        let counters = self.session.counters();
        assert!(
            counters.asks_open <= 8 && counters.asks_running <= 8,
            "{counters:?}"
        );
        let reach = RETAINED_BYTES_MIN * RETAINED_OVERSHOOT + u64::from(CONTROL_BYTES);
        assert!(counters.retained_bytes <= reach, "{counters:?}");
        assert!(
            counters.bytes_held <= 2 * u64::from(FRAME_BYTES) + 2_064,
            "{counters:?}"
        );
        assert!(
            self.input.len() <= FRAME_BYTES as usize + 4,
            "whole frames are taken"
        );
    }
}
