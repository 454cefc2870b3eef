//! Which handlers are short enough to run on their asker's stack.
//!
//! One gauge per message kind, found by its entry's address in a table that all actors share: the
//! first run of a kind says what it is like, whichever actor runs it. Two kinds that meet in one
//! gauge share their judgement, which costs time and nothing else.
//!
//! | state | a run is | after a short run | after a long run |
//! | --- | --- | --- | --- |
//! | unknown | timed | short | suspect, or off if it was beyond [`COLD`] |
//! | short | timed, one in [`SAMPLE`] | short | suspect |
//! | suspect | timed | short | off |
//! | off | refused until its pause is over, then timed | short | off, for twice as long |
//!
//! A kind that was short gets a second look, since the clock does not know whether the handler was
//! long or its thread was not running; so does one whose first run met cold caches. A pause lasts
//! as long as the run, times [`INLINE_PAUSE`](crate::limits::INLINE_PAUSE): so runs that turn out
//! long again cost a thousandth of the time at most. What began before the pause says nothing new:
//! a long run whose handler has asked others of its own kind meanwhile.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::envelope::Entry;
use crate::limits::{INLINE_PAUSE, INLINE_PAUSE_MAX, INLINE_RUN_MAX};

#[cfg(test)]
mod tests;

/// Every so many runs on a thread one is timed: a prime, so that kinds that take turns are all met.
/// Two looks at the clock cost as much as two runs.
const SAMPLE: u32 = 47;

/// What a short handler takes at most when it runs for the first time.
const COLD: Duration = Duration::from_micros(100);

const GAUGES: usize = 1024;

static TABLE: [Gauge; GAUGES] = [const { Gauge(AtomicU64::new(0)) }; GAUGES];

static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What is known of a kind of message, in one word: two bits of state, six for how often it was
/// off, and the time at which its pause is over, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Gauge(AtomicU64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unknown = 0,
    Short = 1,
    Suspect = 2,
    Off = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    state: State,
    /// How often it was turned off in a row.
    offs: u32,
    /// Since the epoch.
    until: Duration,
}

/// What a gauge says of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Refused,
    Granted,
    /// Granted, and its time is to be told.
    Timed,
}

impl Reading {
    #[inline]
    fn of(word: u64) -> Self {
        Self {
            state: match word & 3 {
                0 => State::Unknown,
                1 => State::Short,
                2 => State::Suspect,
                _ => State::Off,
            },
            offs: (word >> 2 & 63) as u32,
            until: Duration::from_micros(word >> 8),
        }
    }

    fn word(self) -> u64 {
        let until = u64::try_from(self.until.as_micros()).unwrap_or(u64::MAX >> 8);
        self.state as u64 | u64::from(self.offs.min(63)) << 2 | until << 8
    }

    /// After a timed run.
    fn after(self, run: Duration, now: Duration) -> Self {
        if run <= INLINE_RUN_MAX {
            return Self {
                state: State::Short,
                offs: 0,
                until: Duration::ZERO,
            };
        }
        let is_cold = self.state == State::Unknown && run <= COLD;
        if is_cold || self.state == State::Short {
            return Self {
                state: State::Suspect,
                ..self
            };
        }
        if self.state == State::Off && now < self.until {
            return self;
        }
        let pause = run
            .saturating_mul(INLINE_PAUSE)
            .saturating_mul(1 << self.offs.min(16))
            .min(INLINE_PAUSE_MAX);
        Self {
            state: State::Off,
            offs: self.offs + 1,
            until: now + pause,
        }
    }
}

impl Gauge {
    /// The gauge of a message kind.
    #[inline]
    pub(super) fn of(entry: &'static Entry) -> &'static Self {
        let address = std::ptr::from_ref(entry).addr();
        // Entries are a few words long and lie side by side.
        let spread = (address >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as usize);
        &TABLE[spread >> (usize::BITS - GAUGES.ilog2())]
    }

    /// Whether a run may be, and is to be timed. `tick` counts the thread's runs.
    #[inline]
    pub(super) fn verdict(&self, tick: u32) -> Verdict {
        // Ordering: Relaxed; one word, and no other data hangs on it.
        let reading = Reading::of(self.0.load(Ordering::Relaxed));
        match reading.state {
            State::Short if !tick.is_multiple_of(SAMPLE) => Verdict::Granted,
            State::Off if EPOCH.elapsed() < reading.until => Verdict::Refused,
            _ => Verdict::Timed,
        }
    }

    /// Notes how long a timed run took. Of two at once one is forgotten.
    pub(super) fn note(&self, run: Duration) {
        // Ordering: Relaxed; as in `verdict`.
        let word = self.0.load(Ordering::Relaxed);
        let after = Reading::of(word).after(run, EPOCH.elapsed()).word();
        if after != word {
            self.0.store(after, Ordering::Relaxed);
        }
    }
}
