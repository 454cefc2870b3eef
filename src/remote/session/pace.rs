//! How many bytes of large records are under way: enough for what the connection holds, and little
//! more, since what is small waits behind them.

use std::time::{Duration, Instant};

use crate::remote::limits::{BULK_BYTES, BULK_BYTES_CALM, BULK_CALM, BULK_RELEARN};

/// Grows while acknowledgements come about as soon as they ever did: what is under way is in
/// flight then. Where they take twice as long it waits, in buffers that others wait behind.
#[derive(Debug)]
pub(super) struct Pace {
    /// Bytes of chunks that may be unacknowledged.
    room: u64,
    /// The most of these.
    room_max: u64,
    /// The shortest time that an acknowledgement took, and since when that is known.
    least: Option<(Duration, Instant)>,
    /// The chunk whose acknowledgement is timed, and when it was cut.
    timed: Option<(u64, Instant)>,
    /// Whether there was more to send than room for it since that was cut.
    was_used_up: bool,
    /// When something small was last sent.
    small: Option<Instant>,
}

impl Pace {
    pub(super) fn new(room_max: u64) -> Self {
        Self {
            room: BULK_BYTES.min(room_max),
            room_max,
            least: None,
            timed: None,
            was_used_up: false,
            small: None,
        }
    }

    /// Another connection stands, of which nothing is known.
    pub(super) fn begin(&mut self) {
        *self = Self {
            small: self.small,
            ..Self::new(self.room_max)
        };
    }

    /// Something small goes, which is waited for.
    #[inline]
    pub(super) fn small(&mut self, now: Instant) {
        self.small = Some(now);
    }

    /// How many bytes there is room for, with so many under way; none until half of it is free, so
    /// that several go at once.
    pub(super) fn room(&self, under_way: u64, now: Instant) -> usize {
        let is_calm = self.small.is_none_or(|small| now >= small + BULK_CALM);
        let room = match is_calm {
            true => self.room.max(BULK_BYTES_CALM.min(self.room_max)),
            false => self.room,
        };
        let free = room.saturating_sub(under_way);
        let free = if free < room / 2 { 0 } else { free };
        usize::try_from(free).unwrap_or(usize::MAX)
    }

    /// There was more to send than room for it.
    pub(super) fn use_up(&mut self) {
        self.was_used_up = true;
    }

    /// A chunk has this number.
    pub(super) fn cut(&mut self, number: u64, now: Instant) {
        if self.timed.is_none() {
            self.timed = Some((number, now));
            self.was_used_up = false;
        }
    }

    /// All up to this number was received.
    pub(super) fn acknowledge(&mut self, number: u64, now: Instant) {
        let Some((_, cut)) = self.timed.take_if(|(timed, _)| *timed <= number) else {
            return;
        };
        let took = now.saturating_duration_since(cut);
        let least = match self.least {
            Some((least, since)) if now < since + BULK_RELEARN => {
                self.least = Some((least.min(took), since));
                least.min(took)
            }
            Some(_) => return self.begin(), // the way may have become a longer one
            None => {
                self.least = Some((took, now));
                took
            }
        };
        let least_room = BULK_BYTES.min(self.room_max);
        if took > 2 * least {
            self.room = (self.room / 2).max(least_room);
        } else if self.was_used_up {
            self.room = (self.room * 2).min(self.room_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = 64 * BULK_BYTES;

    /// Times so many chunks, one after the other, whose acknowledgements take so long, beside small
    /// records. Gives the room then.
    fn time(pace: &mut Pace, now: &mut Instant, count: u64, took: Duration) -> u64 {
        for number in 1..=count {
            pace.cut(number, *now);
            pace.use_up();
            *now += took;
            pace.small(*now);
            pace.acknowledge(number, *now);
        }
        pace.room(0, *now) as u64
    }

    #[test]
    fn a_long_way_gets_more_under_way_until_it_waits() {
        let (mut pace, mut now) = (Pace::new(MAX), Instant::now());
        let way = Duration::from_millis(50);
        assert_eq!(time(&mut pace, &mut now, 3, way), 8 * BULK_BYTES);
        assert_eq!(time(&mut pace, &mut now, 9, way), MAX, "and no more");
        assert_eq!(time(&mut pace, &mut now, 1, 3 * way), MAX / 2);
        assert_eq!(time(&mut pace, &mut now, 9, 3 * way), BULK_BYTES, "no less");
    }

    #[test]
    fn who_does_not_use_its_room_gets_no_more() {
        let (mut pace, now) = (Pace::new(MAX), Instant::now());
        pace.small(now);
        pace.cut(1, now);
        pace.acknowledge(1, now + Duration::from_millis(1));
        assert_eq!(pace.room(0, now) as u64, BULK_BYTES);
        assert_eq!(pace.room(BULK_BYTES / 2, now) as u64, BULK_BYTES / 2);
        let (half, little) = (BULK_BYTES / 2 + 1, "less than half is not worth a write");
        assert_eq!(pace.room(half, now), 0, "{little}");
    }

    #[test]
    fn where_nothing_small_follows_there_is_more_room() {
        let (mut pace, now) = (Pace::new(MAX), Instant::now());
        assert_eq!(pace.room(0, now) as u64, BULK_BYTES_CALM);
        pace.small(now);
        assert_eq!(pace.room(0, now) as u64, BULK_BYTES);
        assert_eq!(pace.room(0, now + BULK_CALM) as u64, BULK_BYTES_CALM);
        let retained_max = BULK_BYTES_CALM / 2;
        assert_eq!(Pace::new(retained_max).room(0, now) as u64, retained_max);
    }

    #[test]
    fn a_way_that_has_become_longer_is_learned_anew() {
        let (mut pace, mut now) = (Pace::new(MAX), Instant::now());
        time(&mut pace, &mut now, 1, Duration::from_millis(1));
        let longer = Duration::from_millis(100);
        assert_eq!(time(&mut pace, &mut now, 9, longer), BULK_BYTES);
        now += BULK_RELEARN;
        assert_eq!(time(&mut pace, &mut now, 4, longer), 8 * BULK_BYTES);
    }
}
