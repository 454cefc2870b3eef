//! Links and nodes in numbers.

use std::time::Duration;

use super::session::Counters;

/// Classes of round trips: each takes twice as long as the one before.
const CLASSES: usize = 32;

/// What the driver and the senders of a session have counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) waits: u64,
    pub(super) wakeups: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    round_trips: [u64; CLASSES],
}

impl Tally {
    pub(super) fn count_round_trip(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let class = (u64::BITS - micros.leading_zeros()) as usize;
        self.round_trips[class.min(CLASSES - 1)] += 1;
    }

    fn add(&mut self, other: &Self) {
        self.waits += other.waits;
        self.wakeups += other.wakeups;
        self.reads += other.reads;
        self.writes += other.writes;
        for (own, other) in self.round_trips.iter_mut().zip(other.round_trips) {
            *own += other;
        }
    }
}

/// A link, or all sessions of a node, in numbers: counted since they began, but for what says
/// otherwise.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Metrics {
    /// Sessions that these are of, at this moment.
    pub sessions: usize,
    /// Connections that they have had.
    pub connections: u64,
    /// Turns of the tasks that drive them.
    pub wakeups: u64,
    /// Reads that brought something, each of which was handled as one batch.
    pub reads: u64,
    /// Writes, each of many records if there were many.
    pub writes: u64,
    /// Frames received.
    pub frames_received: u64,
    /// Frames sent, without those that only acknowledge.
    pub frames_sent: u64,
    /// Records received.
    pub records_received: u64,
    /// Records sent, without those that were sent again.
    pub records_sent: u64,
    /// Records sent again, after a connection was lost.
    pub records_resent: u64,
    /// Records received again, and ignored.
    pub records_known: u64,
    /// Frames sent that only acknowledge.
    pub acknowledgements_sent: u64,
    /// Sends that found no room, and waited.
    pub waits: u64,
    /// Replies that were not sent, since nobody waited for them any more.
    pub replies_suppressed: u64,
    /// Replies that came when nobody waited for them any more.
    pub replies_late: u64,
    /// Tells that named no actor.
    pub tells_astray: u64,
    /// At this moment: asks of this side that wait for their answer, or for their end.
    pub asks_open: u64,
    /// At this moment: asks of the other side that were not answered yet.
    pub asks_running: u64,
    /// At this moment: bytes that are queued, or sent and not acknowledged.
    pub bytes_retained: u64,
    /// At this moment: records that are sent and not acknowledged.
    pub records_retained: u64,
    /// At this moment: replies that are queued, or sent and not acknowledged. No session has more
    /// than asks that may be open in it.
    pub replies_retained: u64,
    /// The most of these at a time, of any one session that lasts.
    pub replies_retained_max: u64,
    tally: Tally,
}

impl Metrics {
    pub(super) fn add(&mut self, session: &Counters, tally: &Tally) {
        self.sessions += 1;
        self.connections += session.connections;
        self.wakeups += tally.wakeups;
        self.reads += tally.reads;
        self.writes += tally.writes;
        self.frames_received += session.frames_received;
        self.frames_sent += session.frames_sent;
        self.records_received += session.records_received;
        self.records_sent += session.records_sent;
        self.records_resent += session.records_resent;
        self.records_known += session.records_known;
        self.acknowledgements_sent += session.acks_sent;
        self.waits += tally.waits;
        self.replies_suppressed += session.replies_suppressed;
        self.replies_late += session.replies_late;
        self.tells_astray += session.tells_astray;
        self.asks_open += u64::from(session.asks_open);
        self.asks_running += u64::from(session.asks_running);
        self.bytes_retained += session.retained_bytes;
        self.records_retained += session.retained_records;
        self.replies_retained += session.answers_retained;
        self.replies_retained_max = self.replies_retained_max.max(session.answers_retained_max);
        self.tally.add(tally);
    }

    /// Answered asks.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.tally.round_trips.iter().sum()
    }

    /// The time within which that share of the answered asks had their answer, from when they were
    /// sent, to the next power of two of microseconds; `None` if there are none.
    ///
    /// ```
    /// # let metrics = greenroom::remote::Metrics::default();
    /// if let Some(time) = metrics.round_trip(0.99) {
    ///     println!("99 of 100 asks were answered within {time:?}");
    /// }
    /// ```
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // shares of counts
    pub fn round_trip(&self, share: f64) -> Option<Duration> {
        let all = self.round_trips();
        let mut seen = 0;
        let classes = self.tally.round_trips.iter().enumerate();
        let mut found = None;
        for (class, count) in classes.filter(|(_, count)| **count > 0) {
            seen += count;
            found = Some(Duration::from_micros(1 << class));
            if seen as f64 >= all as f64 * share {
                break;
            }
        }
        found
    }
}
