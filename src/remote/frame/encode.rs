//! Records as bytes: a tag, numbers, and last the payload behind its length.

use bytes::BytesMut;

use super::record::{Part, Record};
use super::tag;
use super::varint::put_varint;

/// Bytes that all of a record but its payload takes at most: a tag and five numbers, of which one
/// is of 64 bits.
pub(crate) const RECORD_HEAD_MAX: usize = 32;

/// All of a record but its payload.
struct Head {
    bytes: [u8; RECORD_HEAD_MAX],
    len: usize,
}

impl Head {
    #[inline]
    fn new(tag: u8) -> Self {
        let mut bytes = [0; RECORD_HEAD_MAX];
        bytes[0] = tag;
        Self { bytes, len: 1 }
    }

    #[inline]
    fn short(self, value: u32) -> Self {
        self.long(u64::from(value))
    }

    #[inline]
    fn long(mut self, value: u64) -> Self {
        self.len = put_varint(&mut self.bytes, self.len, value);
        self
    }
}

impl Record {
    /// Appends all of the record but its payload, of which it says that it is `len` bytes long.
    #[inline]
    pub(crate) fn put_head(&self, len: usize, into: &mut BytesMut) {
        let len = len as u64;
        let head = match *self {
            Self::Ask {
                ask,
                target,
                kind,
                deadline_ms,
                ..
            } => match deadline_ms {
                None => Head::new(tag::ASK)
                    .short(ask.0)
                    .short(target.0)
                    .short(kind.0),
                Some(ms) => Head::new(tag::ASK_BY)
                    .short(ask.0)
                    .short(target.0)
                    .short(kind.0)
                    .short(ms),
            }
            .long(len),
            Self::Tell { target, kind, .. } => {
                Head::new(tag::TELL).short(target.0).short(kind.0).long(len)
            }
            Self::Reply { ask, .. } => Head::new(tag::REPLY).short(ask.0).long(len),
            Self::Error { ask, code, .. } => {
                Head::new(tag::ERROR).short(ask.0).short(code).long(len)
            }
            Self::Cancel { ask } => Head::new(tag::CANCEL).short(ask.0),
            Self::Ended { ask } => Head::new(tag::ENDED).short(ask.0),
            Self::Credit {
                target,
                records,
                bytes,
            } => Head::new(tag::CREDIT)
                .short(target.0)
                .short(records)
                .long(bytes),
            _ => self.seldom(len),
        };
        into.extend_from_slice(&head.bytes[..head.len]);
    }

    /// The heads of what is sent seldom.
    fn seldom(&self, len: u64) -> Head {
        match *self {
            Self::Window {
                target,
                asks,
                records,
                bytes,
            } => Head::new(tag::WINDOW)
                .short(target.0)
                .short(asks)
                .short(records)
                .long(bytes),
            Self::LookUp { look_up, .. } => Head::new(tag::LOOK_UP).short(look_up.0).long(len),
            Self::Found {
                look_up,
                target: Some(target),
                ..
            } => Head::new(tag::FOUND)
                .short(look_up.0)
                .short(target.0)
                .long(len),
            Self::Found {
                look_up,
                target: None,
                ..
            } => Head::new(tag::NOT_FOUND).short(look_up.0).long(len),
            Self::Monitor { monitor, target } => {
                Head::new(tag::MONITOR).short(monitor.0).short(target.0)
            }
            Self::Unmonitor { monitor } => Head::new(tag::UNMONITOR).short(monitor.0),
            Self::Down { monitor, .. } => Head::new(tag::DOWN).short(monitor.0).long(len),
            Self::Release { target, count } => Head::new(tag::RELEASE).short(target.0).short(count),
            Self::Ping { token } => Head::new(tag::PING).long(token),
            Self::Pong { token } => Head::new(tag::PONG).long(token),
            Self::Chunk { partial, part, .. } => match part {
                Part::First { total } => Head::new(tag::CHUNK_FIRST)
                    .short(partial)
                    .long(total)
                    .long(len),
                Part::More => Head::new(tag::CHUNK_MORE).short(partial).long(len),
                Part::Abandon => Head::new(tag::CHUNK_ABANDON).short(partial),
            },
            Self::Close { code } => Head::new(tag::CLOSE).short(code),
            Self::Ask { .. }
            | Self::Tell { .. }
            | Self::Reply { .. }
            | Self::Error { .. }
            | Self::Cancel { .. }
            | Self::Ended { .. }
            | Self::Credit { .. } => unreachable!("written by put_head"),
        }
    }
}
