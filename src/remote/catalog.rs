//! The answer to a look-up: the messages that the target understands.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::frame::KindId;
use super::schema::WireMessage;
use crate::actor::{Fingerprint, SchemaMismatch};

/// The kinds of messages of a target, as its node knows them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Catalog(Vec<(Box<[u8]>, u128)>);

/// A message of ours, as the other side knows it.
pub(super) struct Known {
    pub(super) kind: Result<KindId, Box<SchemaMismatch>>,
    /// Handles are part of it, or of its reply.
    pub(super) lends: bool,
}

/// Why there is no target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unfound {
    /// Nobody is exported under that name, for that peer.
    Unknown,
    /// The session holds as many targets as it may.
    TooMany,
}

const UNKNOWN: u8 = 1;
const TOO_MANY: u8 = 2;

impl Unfound {
    pub(super) fn encode(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Unknown => &[UNKNOWN],
            Self::TooMany => &[TOO_MANY],
        })
    }

    pub(super) fn decode(payload: &[u8]) -> Self {
        match payload.first() {
            Some(&TOO_MANY) => Self::TooMany,
            _ => Self::Unknown,
        }
    }
}

/// The messages, each with its name's length and its name, and its fingerprint.
pub(super) fn encode(messages: &[WireMessage]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_u16_le(u16::try_from(messages.len()).unwrap_or(u16::MAX));
    for message in messages.iter().take(usize::from(u16::MAX)) {
        let name = message.name.as_bytes();
        let name = &name[..name.len().min(usize::from(u16::MAX))];
        bytes.put_u16_le(u16::try_from(name.len()).expect("it was cut"));
        bytes.put_slice(name);
        bytes.put_u128_le(message.fingerprint.0);
    }
    bytes.freeze()
}

impl Catalog {
    /// What [`encode`] gave. What is malformed ends the table: those messages are unknown then.
    pub(super) fn decode(mut from: &[u8]) -> Self {
        let count = from.try_get_u16_le().unwrap_or(0);
        let mut messages = Vec::new();
        for _ in 0..count {
            let Some(message) = take(&mut from) else {
                break;
            };
            messages.push(message);
        }
        Self(messages)
    }

    /// What a message of ours is there.
    pub(super) fn known(&self, ours: &WireMessage) -> Known {
        let theirs = self.find(ours.name);
        let kind = match theirs {
            Some((kind, fingerprint)) if fingerprint == ours.fingerprint.0 => Ok(KindId(kind)),
            _ => {
                let theirs = theirs.map(|(_, fingerprint)| Fingerprint(fingerprint));
                let name = ours.name.into();
                Err(SchemaMismatch::new(name, ours.fingerprint, theirs))
            }
        };
        let lends = ours.lends;
        Known { kind, lends }
    }

    /// The number of the message of that name, and its fingerprint there.
    fn find(&self, name: &str) -> Option<(u32, u128)> {
        let found = (0..)
            .zip(&self.0)
            .find(|(_, (known, _))| **known == *name.as_bytes());
        found.map(|(number, (_, fingerprint))| (number, *fingerprint))
    }
}

fn take(from: &mut &[u8]) -> Option<(Box<[u8]>, u128)> {
    let length = usize::from(from.try_get_u16_le().ok()?);
    let name = from.get(..length)?.into();
    from.advance(length);
    Some((name, from.try_get_u128_le().ok()?))
}
