//! Frames: a length, the number of the first record, the highest number received, and records.

use bytes::{Buf, BufMut, BytesMut};

use super::decode::Records;
use super::varint::{VARINT_BYTES_MAX, put_varint, take_varint};
use super::violation::Violation;
use crate::remote::limits::FRAME_BYTES;

/// Bytes of a frame's length, a little-endian number that does not count itself.
const LENGTH_BYTES: usize = 4;

/// Bytes of a frame before its records, at most.
pub(crate) const FRAME_HEAD_MAX: usize = LENGTH_BYTES + 2 * VARINT_BYTES_MAX;

/// A frame as it was read.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The number of its first record; of the next one, if it has none.
    pub(crate) first: u64,
    /// The highest number that its sender has received.
    pub(crate) ack: u64,
    /// Bytes of the records.
    pub(crate) len: usize,
    pub(crate) records: Records,
}

impl Frame {
    /// Takes the next frame off the front of `input`, if all of it is there; payloads of messages
    /// are `payload_max` long at most. A length that is not
    /// allowed is found as soon as it can be read, and nothing is allocated for any.
    pub(crate) fn take(input: &mut BytesMut, payload_max: u64) -> Result<Option<Self>, Violation> {
        let Some(length) = input.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else {
            return Ok(None);
        };
        if !(2..=FRAME_BYTES).contains(&length) {
            return Err(Violation::FrameLength);
        }
        let length = length as usize;
        if input.len() < LENGTH_BYTES + length {
            return Ok(None);
        }
        input.advance(LENGTH_BYTES);
        let body = input.split_to(length).freeze();
        let mut at = 0;
        let first = take_varint(&body, &mut at)?;
        let ack = take_varint(&body, &mut at)?;
        let len = body.len() - at;
        Ok(Some(Self {
            first,
            ack,
            len,
            records: Records::new(body, at, payload_max),
        }))
    }

    /// Appends what stands before records of `len` bytes in all.
    pub(crate) fn put_head(first: u64, ack: u64, len: usize, into: &mut BytesMut) {
        let mut numbers = [0; 2 * VARINT_BYTES_MAX];
        let end = put_varint(&mut numbers, 0, first);
        let end = put_varint(&mut numbers, end, ack);
        let length = u32::try_from(end + len).expect("the writer keeps frames short");
        into.put_u32_le(length);
        into.extend_from_slice(&numbers[..end]);
    }

    /// A whole frame, for who has its records at hand.
    #[cfg(test)]
    pub(crate) fn of(first: u64, ack: u64, records: &[super::Record]) -> bytes::Bytes {
        let mut body = BytesMut::new();
        records.iter().for_each(|record| record.put(&mut body));
        let mut frame = BytesMut::new();
        Self::put_head(first, ack, body.len(), &mut frame);
        frame.extend_from_slice(&body);
        frame.freeze()
    }
}
