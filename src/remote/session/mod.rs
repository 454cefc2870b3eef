//! One session with a peer, both directions, over any number of connections: bytes and time in,
//! bytes and events out. No I/O, no clock, no lock.
//!
//! ```text
//!             connected(0)                    disconnected()
//!   new() ──────────────────▶ connected ◀──────────────────────▶ apart
//!                                 │        connected(received)     │
//!                                 └────── close(), a violation, ───┘
//!                                         the peer's Close: closed ──▶ end()
//! ```
//!
//! | state | asks and tells | `transmit` | `receive`, `on_timeout` |
//! | --- | --- | --- | --- |
//! | new, apart | queued, within their windows | nothing | never called |
//! | connected | queued | all that is queued | as the peer sends |
//! | closed | refused | what is left, last `Close` | nothing |
//!
//! **Once.** Records have numbers by their place in a direction. A [`log`] keeps what is not
//! acknowledged, and after a resume sends it again from the first record that the peer does not
//! have; the peer ignores what it knows. So each record is accepted exactly once while the session
//! lives, and [`Leftovers`] says what its end leaves open.
//!
//! **Bounded.** What a peer can make this side hold is bounded by [`Limits`]: asks and tells by the
//! windows (`exports`), answers by [`Limits::retained_bytes`], beyond which no request is accepted
//! (it waits in `gate`, inside of its window), and the rest by tables of fixed width and by rates.
//! What breaks a bound is a [`Violation`], and ends the session.

mod admission;
mod answers;
mod asks;
mod body;
mod bucket;
mod counters;
mod event;
mod exports;
mod imports;
mod larges;
mod leftovers;
mod log;
mod names;
mod pace;
mod partials;
mod places;
mod pulse;
mod receive;
mod send;
mod terms;
#[cfg(test)]
mod tests;
mod time;
mod transmit;
mod wanted;
mod window;

use crate::remote::frame::TargetId;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::BytesMut;

pub(crate) use admission::Admission;
pub(crate) use body::Body;
pub(crate) use counters::Counters;
pub(crate) use event::Event;
pub(crate) use leftovers::{Fate, Leftovers};
pub(crate) use terms::Terms;

use self::answers::Answers;
use self::asks::Asks;
use self::bucket::Bucket;
use self::exports::Exports;
use self::imports::Imports;
use self::larges::Larges;
use self::log::Log;
use self::pace::Pace;
use self::partials::Partials;
use self::places::Places;
use self::pulse::Pulse;
use self::wanted::Wanted;
use super::frame::{AskKey, Violation};
use super::limits::{CANCELS_PER_SECOND, LOOK_UPS, LOOK_UPS_PER_SECOND, Limits, PINGS_PER_SECOND};

/// Code of the error to an ask whose target the peer does not hold.
pub(crate) const UNKNOWN_TARGET: u32 = 0xff01;

/// Code of the error in place of a reply that came while far too much was unacknowledged.
pub(crate) const REPLY_REFUSED: u32 = 0xff02;

/// Code of the error in place of a reply that is longer than the peer takes.
pub(crate) const REPLY_TOO_LARGE: u32 = 0xff03;

/// A session. See the [module](self).
#[derive(Debug)]
pub(crate) struct Session {
    peer: Terms,
    payload_bytes: u64,
    retained_max: u64,
    progress: Duration,
    connected: bool,
    /// Either side has ended the session.
    closed: bool,
    /// Why, where the peer is yet to be told.
    farewell: Option<u32>,
    /// What was last known of the time.
    now: Instant,
    counters: Counters,

    // What goes out.
    log: Log,
    larges: Larges,
    pace: Pace,
    /// Heads of frames are written into this.
    heads: BytesMut,
    asks: Asks,
    imports: Imports,
    look_ups: Places,
    monitors: Places,
    wanted: Wanted,
    /// Cancels that wait for their rate.
    late_cancels: VecDeque<AskKey>,
    cancels: Bucket,
    look_up_rate: Bucket,

    // What comes in.
    /// The number of the last record.
    received: u64,
    /// Bytes that have come since the peer heard how far that is.
    unacknowledged: u64,
    partials: Partials,
    answers: Answers,
    exports: Exports,
    taken_back: Vec<TargetId>,
    peer_look_ups: Places,
    peer_monitors: Places,
    /// Requests that wait until less is unacknowledged.
    gate: VecDeque<Event>,
    peer_cancels: Bucket,
    peer_look_up_rate: Bucket,
    peer_pings: Bucket,
    /// The ping that is yet to be answered.
    pong: Option<u64>,
    pulse: Pulse,
}

impl Session {
    /// A session without a connection. `peer` is what the other side said in the handshake.
    pub(crate) fn new(limits: &Limits, peer: Terms, now: Instant) -> Self {
        let targets = limits.targets.min(peer.targets);
        let asks = peer.asks;
        // A connection that stands still and goes on brings at once what was sent in a second: one
        // burst on top, which for cancels is as large as the window that they hold places in.
        let twice = |rate: u32, burst: u32| Bucket::new(2 * rate, 2 * burst, now);
        Self {
            payload_bytes: limits.payload_bytes,
            retained_max: limits.retained_bytes,
            progress: limits.progress,
            connected: false,
            closed: false,
            farewell: None,
            now,
            counters: Counters::default(),
            log: Log::new(),
            larges: Larges::default(),
            pace: Pace::new(limits.retained_bytes),
            heads: BytesMut::new(),
            asks: Asks::new(asks),
            imports: Imports::new(targets),
            look_ups: Places::new(LOOK_UPS),
            monitors: Places::new(peer.monitors),
            wanted: Wanted::default(),
            late_cancels: VecDeque::new(),
            cancels: Bucket::new(CANCELS_PER_SECOND, asks, now),
            look_up_rate: Bucket::new(LOOK_UPS_PER_SECOND, LOOK_UPS_PER_SECOND, now),
            received: 0,
            unacknowledged: 0,
            partials: Partials::new(limits.payload_bytes),
            answers: Answers::new(limits.asks),
            exports: Exports::new(limits, targets),
            taken_back: Vec::new(),
            peer_look_ups: Places::new(LOOK_UPS),
            peer_monitors: Places::new(limits.monitors),
            gate: VecDeque::new(),
            peer_cancels: twice(CANCELS_PER_SECOND, limits.asks),
            peer_look_up_rate: twice(LOOK_UPS_PER_SECOND, LOOK_UPS_PER_SECOND),
            peer_pings: twice(PINGS_PER_SECOND, PINGS_PER_SECOND),
            pong: None,
            pulse: Pulse::new(limits, now),
            peer,
        }
    }

    /// The highest number received: what the next handshake says.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// A connection stands, the first one or another; the peer said how far it got, 0 at first.
    pub(crate) fn connected(&mut self, peer_received: u64, now: Instant) -> Result<(), Violation> {
        self.log.rewind(peer_received)?;
        self.now = now;
        self.connected = true;
        self.unacknowledged = 0;
        self.counters.connections += 1;
        self.pace.begin();
        self.pulse.begin(now);
        self.partials.excuse(now);
        Ok(())
    }

    /// It is gone, and with it what `transmit` gave and was not written, and what has come of a
    /// frame: drop both.
    pub(crate) fn disconnected(&mut self) {
        self.connected = false;
        self.pulse.drop_half();
    }

    /// Ends the session for a reason that the peer is told, behind all that is queued: `Close` is
    /// the last record.
    pub(crate) fn close(&mut self, code: u32) {
        if !self.closed {
            self.closed = true;
            self.farewell = Some(code);
        }
    }

    /// It is so late, for who has looked at the clock anyway.
    pub(crate) fn pass(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }

    /// Either side has ended it: it takes nothing more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The session is over. Says once what was open, and holds nothing from now on.
    pub(crate) fn end(&mut self) -> Leftovers {
        self.closed = true;
        self.farewell = None;
        self.connected = false;
        let sent = self.log.sent();
        let fate = |number| {
            let is_sent = number != 0 && number <= sent;
            if is_sent {
                Fate::OutcomeUnknown
            } else {
                Fate::NotSent
            }
        };
        let asks = self
            .asks
            .unanswered()
            .map(|(key, number)| (key, fate(number)))
            .collect();
        let (unsent, tells_unknown) = self.log.tells();
        let tells_unsent = unsent + self.larges.tells() + self.imports.tells_behind();
        let running = self.answers.take_all();
        self.asks.clear();
        self.imports.clear();
        self.log = Log::new();
        self.larges = Larges::default();
        self.partials.clear();
        self.gate = VecDeque::new();
        Leftovers {
            asks,
            tells_unsent,
            tells_unknown,
            running,
        }
    }

    /// What the session has done, and what it holds.
    pub(crate) fn counters(&self) -> Counters {
        let (answers_retained, answers_retained_max) = self.log.answers();
        Counters {
            answers_retained,
            answers_retained_max,
            retained_bytes: self.retained(),
            retained_records: self.log.unacknowledged(),
            asks_open: self.asks.open(),
            asks_running: self.answers.running(),
            bytes_under_way: self.imports.bytes(),
            bytes_held: self.exports.held_bytes(),
            windows_grown: self.exports.windows_grown(),
            ..self.counters
        }
    }

    /// Bytes that are queued or unacknowledged.
    #[inline]
    fn retained(&self) -> u64 {
        self.log.bytes() + self.larges.bytes() + self.imports.behind_bytes()
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.retained() >= self.retained_max
    }
}
