//! The records on their way out: queued, or sent and not yet acknowledged.
//!
//! A record is encoded once, into a segment; what leaves is whole segments, and what is kept until
//! it is acknowledged is the same bytes. So keeping them costs nothing per record, and sending
//! them again changes nothing but the head of the frame.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use super::body::Body;
use crate::remote::frame::{Record, Violation};
use crate::remote::limits::{SEGMENT_BYTES, SHARED_BYTES};

/// Bytes of a fresh buffer; each that fills makes the next one twice as long, up to
/// [`SEGMENT_BYTES`], so that a session that says little holds little.
const BUFFER_BYTES: usize = 1 << 10;

/// Records with numbers that follow each other.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) first: u64,
    pub(super) records: u32,
    tells: u32,
    answers: u32,
    /// Bytes of chunks.
    bulk: u64,
    pub(super) bytes: Bytes,
    /// The payload of the last record, where it was not copied; else empty.
    pub(super) tail: Bytes,
}

impl Segment {
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + self.tail.len()
    }

    fn last(&self) -> u64 {
        self.first + u64::from(self.records) - 1
    }
}

#[derive(Debug)]
pub(super) struct Log {
    segments: VecDeque<Segment>,
    /// Of these so many are written to the connection that stands.
    written: usize,
    /// The segment that is being filled.
    open: BytesMut,
    open_records: u32,
    open_tells: u32,
    open_answers: u32,
    open_bulk: u64,
    /// Bytes of chunks in all segments and the open one.
    bulk: u64,
    /// Answers that are kept, and the most that ever were.
    answers: u64,
    answers_max: u64,
    /// Bytes of the next buffer.
    room: usize,
    /// The number of the next record; the first is 1.
    next: u64,
    /// The highest number that the peer has received, as far as is known.
    acked: u64,
    /// The highest number that was ever written to a connection.
    sent: u64,
    /// In all segments and the open one.
    bytes: u64,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            segments: VecDeque::new(),
            written: 0,
            open: BytesMut::new(),
            open_records: 0,
            open_tells: 0,
            open_answers: 0,
            open_bulk: 0,
            bulk: 0,
            answers: 0,
            answers_max: 0,
            room: BUFFER_BYTES,
            next: 1,
            acked: 0,
            sent: 0,
            bytes: 0,
        }
    }

    /// Queues a record whose payload is `payload`, returns its number.
    #[inline]
    pub(super) fn append(&mut self, record: &Record, payload: Body<'_>) -> u64 {
        if self.open.is_empty() && self.open.capacity() < BUFFER_BYTES / 4 {
            self.open.reserve(self.room);
        }
        let before = self.open.len();
        record.put_head(payload.len(), &mut self.open);
        self.open_records += 1;
        match record {
            Record::Tell { .. } => self.open_tells += 1,
            Record::Reply { .. } | Record::Error { .. } | Record::Ended { .. } => {
                self.open_answers += 1;
                self.answers += 1;
                self.answers_max = self.answers_max.max(self.answers);
            }
            Record::Chunk { .. } => {
                self.open_bulk += payload.len() as u64;
                self.bulk += payload.len() as u64;
            }
            _ => {}
        }
        let number = self.next;
        self.next += 1;
        match payload {
            Body::Shared(tail) if tail.len() >= SHARED_BYTES => {
                self.bytes += (self.open.len() - before) as u64;
                self.bytes += tail.len() as u64;
                self.seal(tail);
            }
            payload => {
                self.open.extend_from_slice(payload.as_slice());
                self.bytes += (self.open.len() - before) as u64;
                if self.open.len() >= SEGMENT_BYTES {
                    self.seal(Bytes::new());
                }
            }
        }
        number
    }

    /// Ends the segment that is being filled.
    fn seal(&mut self, tail: Bytes) {
        if self.open_records == 0 {
            return;
        }
        let bytes = self.open.split().freeze();
        if self.open.capacity() < self.room / 2 {
            self.room = (self.room * 2).min(SEGMENT_BYTES);
        }
        self.segments.push_back(Segment {
            first: self.next - u64::from(self.open_records),
            records: std::mem::take(&mut self.open_records),
            tells: std::mem::take(&mut self.open_tells),
            answers: std::mem::take(&mut self.open_answers),
            bulk: std::mem::take(&mut self.open_bulk),
            bytes,
            tail,
        });
    }

    /// Ends the segment that is being filled, returns the ones that are yet to be written.
    pub(super) fn unwritten(&mut self) -> impl Iterator<Item = &Segment> {
        self.seal(Bytes::new());
        self.segments.range(self.written..)
    }

    /// The next `segments` of these are written now. Returns how many of their records were sent
    /// before.
    pub(super) fn wrote(&mut self, segments: usize) -> u64 {
        let now = self.segments.range(self.written..).take(segments);
        let again = now
            .map(|segment| (self.sent.min(segment.last()) + 1).saturating_sub(segment.first))
            .sum();
        self.written += segments;
        if let Some(last) = self.written.checked_sub(1) {
            self.sent = self.sent.max(self.segments[last].last());
        }
        again
    }

    pub(super) fn has_unwritten(&self) -> bool {
        self.open_records > 0 || self.written < self.segments.len()
    }

    /// The peer has received all up to `number`.
    #[inline]
    pub(super) fn acknowledge(&mut self, number: u64) -> Result<bool, Violation> {
        if number == self.acked {
            return Ok(false);
        }
        if number < self.acked || number > self.sent {
            return Err(Violation::Acknowledgement);
        }
        self.acked = number;
        while let Some(segment) = self.segments.front() {
            if segment.last() > number {
                break;
            }
            self.bytes -= segment.len() as u64;
            self.answers -= u64::from(segment.answers);
            self.bulk -= segment.bulk;
            self.segments.pop_front();
            self.written = self.written.saturating_sub(1);
        }
        Ok(true)
    }

    /// A new connection stands, over which all after `number` goes once more. Frames are taken as a
    /// whole and hold whole segments; from a peer that counts otherwise comes a number inside of a
    /// segment, which is sent again from its beginning: the peer ignores what it knows.
    pub(super) fn rewind(&mut self, number: u64) -> Result<(), Violation> {
        self.acknowledge(number)?;
        self.written = 0;
        Ok(())
    }

    /// Gives the buffers back where nothing is kept in them.
    pub(super) fn shrink(&mut self) {
        if self.bytes == 0 {
            self.open = BytesMut::new();
            self.segments = VecDeque::new();
            self.room = BUFFER_BYTES;
        }
    }

    /// The number of the next record.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of chunks that are queued or unacknowledged.
    pub(super) fn bulk(&self) -> u64 {
        self.bulk
    }

    /// Answers that are kept until they are acknowledged, and the most at a time; of large ones
    /// none is counted.
    pub(super) fn answers(&self) -> (u64, u64) {
        (self.answers, self.answers_max)
    }

    /// Records that were sent and are not acknowledged.
    pub(super) fn unacknowledged(&self) -> u64 {
        self.sent - self.acked
    }

    /// Tells of which no part was acknowledged: never written, and written.
    pub(super) fn tells(&self) -> (u64, u64) {
        let mut unsent = u64::from(self.open_tells);
        let mut unknown = 0;
        for segment in &self.segments {
            let tells = u64::from(segment.tells);
            if segment.last() <= self.sent {
                unknown += tells
            } else {
                unsent += tells
            }
        }
        (unsent, unknown)
    }
}
