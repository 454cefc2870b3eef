//! Large records on their way in, put together from their chunks.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use crate::remote::frame::{Part, RECORD_HEAD_MAX, Violation};
use crate::remote::limits::PARTIALS;

#[derive(Debug)]
struct Partial {
    bytes: BytesMut,
    total: usize,
    /// When its last chunk came.
    since: Instant,
}

#[derive(Debug)]
pub(super) struct Partials {
    places: [Option<Partial>; PARTIALS as usize],
    /// Bytes that a record takes at most.
    total_max: u64,
}

impl Partials {
    pub(super) fn new(payload_bytes: u64) -> Self {
        let total_max = payload_bytes + RECORD_HEAD_MAX as u64;
        Self {
            places: Default::default(),
            total_max,
        }
    }

    /// One more chunk; the record, when it is whole. Room is made for twice of what has come at
    /// most, whatever is said to follow.
    pub(super) fn take(
        &mut self,
        partial: u32,
        part: Part,
        payload: &Bytes,
        now: Instant,
    ) -> Result<Option<Bytes>, Violation> {
        let place = self
            .places
            .get_mut(partial as usize)
            .ok_or(Violation::Partial)?;
        match part {
            Part::Abandon => {
                place.take().ok_or(Violation::Partial)?;
                return Ok(None);
            }
            Part::First { total } if place.is_none() => {
                if total > self.total_max {
                    return Err(Violation::PayloadLength);
                }
                let total = usize::try_from(total).map_err(|_| Violation::PayloadLength)?;
                *place = Some(Partial {
                    bytes: BytesMut::new(),
                    total,
                    since: now,
                });
            }
            Part::First { .. } => return Err(Violation::Partial),
            Part::More => {}
        }
        let taken = place.as_mut().ok_or(Violation::Partial)?;
        let left = taken.total - taken.bytes.len();
        if payload.is_empty() || payload.len() > left {
            return Err(Violation::Partial);
        }
        if taken.bytes.capacity() - taken.bytes.len() < payload.len() {
            let room = payload.len().max(taken.bytes.len()).min(left);
            taken.bytes.reserve(room);
        }
        taken.bytes.extend_from_slice(payload);
        taken.since = now;
        let is_whole = payload.len() == left;
        let whole = if is_whole { place.take() } else { None };
        Ok(whole.map(|whole| whole.bytes.freeze()))
    }

    /// When the first of them will have stood still for so long.
    pub(super) fn stalled_at(&self, progress: Duration) -> Option<Instant> {
        self.places
            .iter()
            .flatten()
            .map(|partial| partial.since + progress)
            .min()
    }

    /// They can't have come on so far.
    pub(super) fn excuse(&mut self, now: Instant) {
        self.places
            .iter_mut()
            .flatten()
            .for_each(|partial| partial.since = now);
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.places = Default::default();
    }

    /// Bytes that have come, and the room that is made for more.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.places
            .iter()
            .flatten()
            .map(|partial| partial.bytes.capacity())
            .sum()
    }
}
