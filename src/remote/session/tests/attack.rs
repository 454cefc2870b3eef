//! A peer that says what it likes.

use std::time::Instant;

use bytes::{Bytes, BytesMut};

use super::super::{Event, Session, Terms};
use crate::remote::frame::{AskId, Frame, KindId, Part, Record, TargetId, Violation};
use crate::remote::limits::Limits;

pub(super) struct Attack {
    pub(super) session: Session,
    pub(super) next: u64,
    pub(super) now: Instant,
    pub(super) events: Vec<Event>,
}

impl Attack {
    pub(super) fn on(limits: &Limits) -> Self {
        let now = Instant::now();
        let mut session = Session::new(limits, Terms::of(limits), now);
        session.connected(0, now).expect("it is the first");
        Self {
            session,
            next: 1,
            now,
            events: Vec::new(),
        }
    }

    pub(super) fn new() -> Self {
        Self::on(&Limits::new())
    }

    pub(super) fn frame(&mut self, frame: &[u8]) -> Result<(), Violation> {
        let mut input = BytesMut::from(frame);
        self.session.receive(&mut input, self.now, &mut self.events)
    }

    pub(super) fn say(&mut self, records: &[Record]) -> Result<(), Violation> {
        let frame = Frame::of(self.next, 0, records);
        self.next += records.len() as u64;
        self.frame(&frame)
    }

    /// How many times something can be said until it is refused, and how.
    pub(super) fn say_until(
        &mut self,
        at_most: usize,
        mut record: impl FnMut(u32) -> Record,
    ) -> (usize, Option<Violation>) {
        for count in 0..at_most {
            if let Err(violation) = self.say(&[record(count as u32)]) {
                return (count, Some(violation));
            }
        }
        (at_most, None)
    }

    /// What the session writes, which nobody reads.
    pub(super) fn write(&mut self) -> usize {
        self.session.transmit(&mut Vec::new())
    }
}

/// What a fresh session, which holds one target and exports one, has to say to these.
pub(super) fn refusal(records: &[Record]) -> Option<Violation> {
    let mut attack = Attack::new();
    attack
        .session
        .imports
        .give(TargetId(0))
        .expect("there is room");
    attack.session.export(64).expect("there is room");
    let outcome = attack.say(records).err();
    assert_eq!(
        attack.session.closed,
        outcome.is_some(),
        "closed by it, and by it alone"
    );
    outcome
}

pub(super) fn ask(ask: u32) -> Record {
    let (ask, target, kind) = (AskId(ask), TargetId(0), KindId(0));
    Record::Ask {
        ask,
        target,
        kind,
        deadline_ms: None,
        payload: Bytes::new(),
    }
}

pub(super) fn tell(target: u32, size: usize) -> Record {
    let payload = vec![0; size].into();
    Record::Tell {
        target: TargetId(target),
        kind: KindId(0),
        payload,
    }
}

pub(super) fn chunk(partial: u32, part: Part, size: usize) -> Record {
    Record::Chunk {
        partial,
        part,
        payload: vec![0; size].into(),
    }
}
