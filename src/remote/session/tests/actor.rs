//! A program on either side of a session, and what it must find: each message handled once, in the
//! order in which it was sent to its target, and each ask answered.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

use super::super::{Admission, Event};
use super::pair::Side;
use crate::remote::frame::{AskKey, KindId, TargetId};

/// What became of something that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// Nobody waits for it, but it may have been handled.
    Cancelled,
    /// It never left.
    Withdrawn,
    Answered,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) target: TargetId,
    pub(super) is_ask: bool,
    pub(super) state: State,
}

/// One side's program. The id of a message is its place in `sent`.
#[derive(Default)]
pub(super) struct Actor {
    pub(super) sent: Vec<Sent>,
    keys: HashMap<AskKey, usize>,
    /// Requests of the other side's that wait to be handled.
    queue: VecDeque<Event>,
    cancelled: Vec<AskKey>,
    /// Ids of the other side's, in the order in which they were handled, by target.
    pub(super) handled: HashMap<TargetId, Vec<usize>>,
    pub(super) skipped: usize,
    pub(super) silences: usize,
}

/// A payload that says whose it is from end to end.
pub(super) fn payload(id: usize, size: usize) -> Bytes {
    let mut bytes = (id as u64).to_le_bytes().to_vec();
    bytes.resize(8 + size, id as u8);
    bytes.into()
}

fn id(payload: &Bytes) -> usize {
    let (head, rest) = payload.split_first_chunk().expect("an id comes first");
    let id = u64::from_le_bytes(*head) as usize;
    assert!(
        rest.iter().all(|&byte| byte == id as u8),
        "the payload of {id} came whole"
    );
    id
}

impl Actor {
    pub(super) fn send(&mut self, side: &mut Side, target: TargetId, size: usize, is_ask: bool) {
        let id = self.sent.len();
        let (kind, body) = (KindId(7), payload(id, size).into());
        let refused = if is_ask {
            let asked = side.session.ask(target, kind, Some(9), body);
            asked
                .map(|key| assert_eq!(self.keys.insert(key, id), None, "{key:?} is free"))
                .err()
        } else {
            side.session.tell(target, kind, body).err()
        };
        match refused {
            None => self.sent.push(Sent {
                target,
                is_ask,
                state: State::Open,
            }),
            Some(Admission::Target | Admission::Session) => {}
            Some(other) => panic!("{other:?}"),
        }
    }

    /// Cancels one of the open asks.
    pub(super) fn cancel(&mut self, side: &mut Side, pick: usize, now: std::time::Instant) {
        let mut open: Vec<_> = self.keys.iter().map(|(&key, &id)| (id, key)).collect();
        open.sort_unstable_by_key(|&(id, _)| id);
        let Some(&(id, key)) = open.get(pick % open.len().max(1)) else {
            return;
        };
        if side.session.cancel(key, now) {
            assert_eq!(self.sent[id].state, State::Open);
            self.sent[id].state = State::Withdrawn;
            self.keys.remove(&key);
        } else {
            self.sent[id].state = State::Cancelled;
        }
    }

    /// Looks at what came: answers are for asks of ours, requests wait.
    pub(super) fn hear(&mut self, side: &mut Side) {
        for event in side.take_events() {
            match event {
                Event::Ask { .. } | Event::Tell { .. } => self.queue.push_back(event),
                Event::Cancelled { ask } => self.cancelled.push(ask),
                Event::Reply { ask, payload } => {
                    let asked = self.keys.remove(&ask).expect("it was asked");
                    assert_eq!(id(&payload), asked, "the answer to another ask");
                    self.answered(asked, State::Open);
                }
                Event::Ended { ask } => {
                    let asked = self.keys.remove(&ask).expect("it was asked");
                    self.answered(asked, State::Cancelled);
                }
                Event::Granted { .. } | Event::GrantedAll => {}
                Event::Silent => self.silences += 1,
                other => panic!("nobody said {other:?}"),
            }
        }
    }

    fn answered(&mut self, asked: usize, state: State) {
        assert_eq!(self.sent[asked].state, state, "{asked} is over once");
        self.sent[asked].state = State::Answered;
    }

    /// Handles one request, and answers it with `size` bytes. A cancelled one is skipped.
    pub(super) fn serve(&mut self, side: &mut Side, size: usize) -> bool {
        let Some(request) = self.queue.pop_front() else {
            return false;
        };
        match request {
            Event::Ask {
                ask,
                target,
                kind,
                deadline_ms,
                payload: message,
            } => {
                assert_eq!((kind, deadline_ms), (KindId(7), Some(9)));
                side.session.consumed(target, 1, message.len() as u64);
                if self.cancelled.contains(&ask) {
                    self.skipped += 1;
                    side.session.ended(ask);
                } else {
                    let id = id(&message);
                    self.handled.entry(target).or_default().push(id);
                    side.session.reply(ask, payload(id, size).into());
                }
            }
            Event::Tell {
                target,
                kind,
                payload,
            } => {
                assert_eq!(kind, KindId(7));
                side.session.consumed(target, 1, payload.len() as u64);
                self.handled.entry(target).or_default().push(id(&payload));
            }
            _ => unreachable!("requests only"),
        }
        true
    }

    /// Everything that was sent is handled once and in order, and no ask is open; what was
    /// cancelled may be missing.
    pub(super) fn check(&self, other: &Self) {
        assert!(self.keys.is_empty(), "no ask is left: {:?}", self.keys);
        for (&target, handled) in &other.handled {
            assert!(
                handled.is_sorted_by(|a, b| a < b),
                "{target:?} in order, once: {handled:?}"
            );
        }
        for (id, sent) in self.sent.iter().enumerate() {
            let is_handled = other
                .handled
                .get(&sent.target)
                .is_some_and(|ids| ids.contains(&id));
            match sent.state {
                State::Open => assert!(!sent.is_ask && is_handled, "{id} is lost: {sent:?}"),
                State::Answered => assert!(sent.is_ask, "{id} was no ask"),
                State::Withdrawn => assert!(!is_handled, "{id} was withdrawn, and handled"),
                State::Cancelled => panic!("{id} has not ended"),
            }
        }
    }
}
