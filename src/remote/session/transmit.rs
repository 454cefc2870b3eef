//! What is queued, as slices for a vectored write.

use bytes::{Bytes, BytesMut};

use super::Session;
use super::body::Body;
use super::larges::Purpose;
use crate::remote::frame::{FRAME_HEAD_MAX, Frame, RECORD_HEAD_MAX, Record};
use crate::remote::limits::{ACK_BYTES, CHUNK_BYTES, FRAME_BYTES, SEGMENT_BYTES, WRITE_BYTES};

/// Bytes of the buffer that heads of frames are written into.
const HEADS_BYTES: usize = 512;

// A segment fits into a frame: it is closed by the record that fills it.
const _: () = assert!(
    SEGMENT_BYTES + RECORD_HEAD_MAX + CHUNK_BYTES as usize + FRAME_HEAD_MAX <= FRAME_BYTES as usize
);

impl Session {
    /// Whether `transmit` has something to give: then the writer should wake.
    #[inline]
    pub(crate) fn has_output(&self) -> bool {
        self.connected
            && (self.log.has_unwritten()
                || self.exports.is_urgent()
                || self.owes_pong()
                || self.farewell.is_some()
                || self.bulk_room() > 0
                || self.unacknowledged >= ACK_BYTES)
    }

    /// Gives slices for one vectored write, in their order, about [`WRITE_BYTES`] of them; returns
    /// how many bytes they have, 0 if there is nothing to say. Large records come after the small
    /// ones, a chunk of each in turn.
    pub(crate) fn transmit(&mut self, out: &mut impl Extend<Bytes>) -> usize {
        if !self.connected {
            return 0;
        }
        if self.exports.is_urgent() {
            self.exports.flush(|record| {
                self.log.append(&record, Body::Copied(&[]));
            });
        }
        if self.owes_pong()
            && let Some(token) = self.pong.take()
        {
            self.append(&Record::Pong { token }, Body::Copied(&[]));
        }
        if self.larges.is_empty()
            && let Some(code) = self.farewell.take()
        {
            self.append(&Record::Close { code }, Body::Copied(&[]));
        }
        let mut bytes = self.write_frames(0, out);
        let mut room = self.bulk_room();
        while bytes < WRITE_BYTES && room > 0 {
            let cut = self.cut_chunks(room.min(WRITE_BYTES - bytes));
            bytes = self.write_frames(bytes, out);
            room = if cut == 0 {
                0
            } else {
                room.saturating_sub(cut)
            };
        }
        if bytes == 0 && self.unacknowledged >= ACK_BYTES {
            bytes = self.put_frame_head(self.log.next(), 0, out);
            self.counters.acks_sent += 1;
        }
        self.counters.writes += u64::from(bytes > 0);
        bytes
    }

    /// Whether a ping is to be answered: not while too much is unacknowledged, which is a sign of
    /// life itself, and would be without end to a peer that acknowledges nothing.
    fn owes_pong(&self) -> bool {
        self.pong.is_some() && !self.is_full()
    }

    /// Queues chunks of the large records that are under way, about so many bytes; returns how
    /// many.
    fn cut_chunks(&mut self, room: usize) -> usize {
        let mut bytes = 0;
        while bytes < room {
            let Some(cut) = self.larges.cut() else { break };
            bytes += cut.payload.len();
            let number = self.log.append(&cut.record, Body::Shared(cut.payload));
            self.pace.cut(number, self.now);
            match cut.last_of {
                Some(Purpose::Ask(target, key)) => {
                    self.asks.queued(key, number);
                    self.go_on(target);
                }
                Some(Purpose::Tell(target)) => self.go_on(target),
                Some(Purpose::Answer) | None => {}
            }
        }
        if !self.larges.is_empty() {
            self.pace.use_up();
        }
        bytes
    }

    /// How many bytes of chunks may go. What is closed hears of no acknowledgements any more.
    fn bulk_room(&self) -> usize {
        if self.larges.is_empty() {
            0
        } else if self.closed {
            usize::MAX
        } else {
            self.pace.room(self.log.bulk(), self.now)
        }
    }

    /// Writes frames of what is queued until there are `bytes` of about [`WRITE_BYTES`]. A frame
    /// is about as long as a chunk, so that one that comes slowly still shows that it comes.
    fn write_frames(&mut self, mut bytes: usize, out: &mut impl Extend<Bytes>) -> usize {
        while bytes < WRITE_BYTES {
            let (mut len, mut count, mut records, mut first) = (0, 0, 0, 0);
            for segment in self.log.unwritten() {
                if count == 0 {
                    first = segment.first;
                } else if len + segment.len() > CHUNK_BYTES as usize {
                    break;
                }
                len += segment.len();
                records += u64::from(segment.records);
                count += 1;
            }
            if count == 0 {
                break;
            }
            bytes += len + self.put_frame_head(first, len, out);
            for segment in self.log.unwritten().take(count) {
                let tail = (!segment.tail.is_empty()).then(|| segment.tail.clone());
                out.extend(Some(segment.bytes.clone()).into_iter().chain(tail));
            }
            let again = self.log.wrote(count);
            self.counters.frames_sent += 1;
            self.counters.records_sent += records - again;
            self.counters.records_resent += again;
            let retained = self.log.unacknowledged();
            self.counters.retained_records_max = self.counters.retained_records_max.max(retained);
        }
        bytes
    }

    fn put_frame_head(&mut self, first: u64, len: usize, out: &mut impl Extend<Bytes>) -> usize {
        if self.heads.capacity() < FRAME_HEAD_MAX {
            self.heads.reserve(HEADS_BYTES);
        }
        Frame::put_head(first, self.received, len, &mut self.heads);
        self.unacknowledged = 0;
        let head = self.heads.split().freeze();
        let len = head.len();
        out.extend(Some(head));
        len
    }

    /// Gives back what an idle session needs not hold.
    pub(super) fn shrink(&mut self) {
        self.log.shrink();
        if self.log.bytes() == 0 {
            self.heads = BytesMut::new();
        }
    }
}
