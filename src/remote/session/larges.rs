//! Large records on their way out, cut into chunks that take turns.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::remote::frame::{AskKey, Part, RECORD_HEAD_MAX, Record, TargetId};
use crate::remote::limits::{CHUNK_BYTES, PARTIALS};

/// What a large record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Ask(TargetId, AskKey),
    Tell(TargetId),
    Answer,
}

#[derive(Debug)]
struct Large {
    purpose: Purpose,
    /// All of the record but its payload: the first chunk.
    head: Bytes,
    /// What is not yet cut off.
    payload: Bytes,
    /// Of the whole payload.
    len: usize,
    begun: bool,
}

#[derive(Debug, Default)]
pub(super) struct Larges {
    /// Those that are under way, by the number that their chunks have.
    active: [Option<Large>; PARTIALS as usize],
    waiting: VecDeque<Large>,
    /// Whose turn is next.
    turn: usize,
    bytes: u64,
}

/// A chunk, and what it is the last of.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) record: Record,
    pub(super) payload: Bytes,
    pub(super) last_of: Option<Purpose>,
}

impl Larges {
    pub(super) fn push(&mut self, purpose: Purpose, record: &Record, payload: Bytes) {
        let mut head = BytesMut::with_capacity(RECORD_HEAD_MAX);
        record.put_head(payload.len(), &mut head);
        self.bytes += (head.len() + payload.len()) as u64;
        let (head, len) = (head.freeze(), payload.len());
        self.waiting.push_back(Large {
            purpose,
            head,
            payload,
            len,
            begun: false,
        });
    }

    /// Bytes that are not yet cut off.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The next chunk, of the large record whose turn it is.
    pub(super) fn cut(&mut self) -> Option<Cut> {
        for place in &mut self.active {
            if place.is_none() {
                *place = self.waiting.pop_front();
            }
        }
        let count = self.active.len();
        let mut turns = (self.turn..self.turn + count).map(|turn| turn % count);
        let index = turns.find(|&index| self.active[index].is_some())?;
        self.turn = index + 1;
        let partial = index as u32;
        let large = self.active[index].as_mut()?;
        let (part, payload) = if large.begun {
            let len = large.payload.len().min(CHUNK_BYTES as usize);
            (Part::More, large.payload.split_to(len))
        } else {
            large.begun = true;
            let total = (large.head.len() + large.payload.len()) as u64;
            (Part::First { total }, large.head.clone())
        };
        self.bytes -= payload.len() as u64;
        let is_last = large.payload.is_empty();
        let last_of = if is_last {
            self.active[index].take()
        } else {
            None
        };
        Some(Cut {
            record: Record::Chunk {
                partial,
                part,
                payload: Bytes::new(),
            },
            payload,
            last_of: last_of.map(|large| large.purpose),
        })
    }

    /// Takes an ask back that is not all cut: the length of its payload, and the record that gives
    /// it up, if it was begun.
    pub(super) fn withdraw(&mut self, ask: AskKey) -> Option<(usize, Option<Record>)> {
        let is_it = |large: &Large| matches!(large.purpose, Purpose::Ask(_, key) if key == ask);
        if let Some(place) = self.waiting.iter().position(is_it) {
            let large = self.waiting.remove(place)?;
            self.bytes -= (large.head.len() + large.len) as u64;
            return Some((large.len, None));
        }
        let index = self
            .active
            .iter()
            .position(|place| place.as_ref().is_some_and(is_it))?;
        let large = self.active[index].take()?;
        self.bytes -= large.payload.len() as u64;
        if !large.begun {
            self.bytes -= large.head.len() as u64;
            return Some((large.len, None));
        }
        let (partial, part) = (index as u32, Part::Abandon);
        Some((
            large.len,
            Some(Record::Chunk {
                partial,
                part,
                payload: Bytes::new(),
            }),
        ))
    }

    /// Tells of which the last chunk is not cut yet.
    pub(super) fn tells(&self) -> u64 {
        let all = self.active.iter().flatten().chain(&self.waiting);
        all.filter(|large| matches!(large.purpose, Purpose::Tell(_)))
            .count() as u64
    }
}
