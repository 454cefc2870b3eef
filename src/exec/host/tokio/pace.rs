//! How long a pump's turns are, and how it yields.
//!
//! A pump is one task among tokio's. It runs short turns, so that tokio's tasks and drivers come
//! next. When tokio keeps it away for longer than that, tokio is busy: then the pump takes as
//! long as it was kept away, within limits, so that at saturation each gets about half; and it
//! yields to the back of tokio's queue instead of to the moment when that is dry. When tokio runs
//! nothing else, turns double up to a limit: on a multi-thread runtime each yield of a lone task
//! has tokio wake a sleeping worker, in vain.

use std::time::{Duration, Instant};

use crate::limits;

#[cfg(test)]
mod tests;

/// How a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yield {
    /// By tokio's deferral: after its drivers have been turned.
    Deferred,
    /// To the back of tokio's queue.
    Queued,
}

/// Polls between two looks at the clock while polls are short.
const STRIDE: usize = 8;

/// A pump that comes back sooner than this after it yielded was alone: tokio ran nothing else.
const ALONE: Duration = Duration::from_micros(10);

/// A poll that takes longer than this is looked at by the clock one by one.
const LONG_POLL: Duration = Duration::from_micros(2);

/// The length of a pump's turns.
#[derive(Debug)]
pub(super) struct Pace {
    polls_per_turn: usize,
    /// Without a clock turns are counted in polls only, and repeat.
    clocked: bool,
    began: Instant,
    left: Option<Instant>,
    /// Tokio had something else to run when the last turn ended.
    contended: bool,
    /// How many of the shortest turns this one may take, since tokio has nothing else to run.
    alone: u32,
    slice: Duration,
    polls: usize,
    polls_max: usize,
    look_at: usize,
    stride: usize,
    looked: Instant,
}

impl Pace {
    pub(super) fn new(polls_per_turn: usize, clocked: bool) -> Self {
        let now = Instant::now();
        Self {
            polls_per_turn,
            clocked,
            began: now,
            left: None,
            contended: false,
            alone: 1,
            slice: limits::TURN_MIN,
            polls: 0,
            polls_max: polls_per_turn,
            look_at: STRIDE,
            stride: STRIDE,
            looked: now,
        }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self) {
        self.start();
        if self.clocked {
            self.begin_at(Instant::now());
        }
    }

    fn start(&mut self) {
        self.polls = 0;
        self.look_at = self.stride;
        self.polls_max = self.polls_per_turn;
    }

    fn begin_at(&mut self, now: Instant) {
        let away = self.left.take().map(|left| now - left);
        self.contended = away.is_some_and(|away| away > limits::TURN_MIN);
        self.alone = match away {
            Some(away) if away < ALONE => (self.alone * 2).min(limits::TURNS_ALONE),
            _ => 1,
        };
        let away = away.unwrap_or(Duration::ZERO);
        self.slice = away.clamp(limits::TURN_MIN * self.alone, limits::TURN_MAX);
        let grown = self.slice.as_nanos() / limits::TURN_MIN.as_nanos();
        self.polls_max = self
            .polls_max
            .saturating_mul(usize::try_from(grown).unwrap_or(1));
        self.began = now;
        self.looked = now;
    }

    /// Counts a poll; says whether the turn is over.
    pub(super) fn is_over(&mut self) -> bool {
        self.is_over_after(Instant::now)
    }

    fn is_over_after(&mut self, clock: impl FnOnce() -> Instant) -> bool {
        self.polls += 1;
        if self.polls >= self.polls_max {
            return true;
        }
        if !self.clocked || self.polls < self.look_at {
            return false;
        }
        self.is_over_at(clock())
    }

    fn is_over_at(&mut self, now: Instant) -> bool {
        let polls = u32::try_from(self.stride).unwrap_or(1);
        let is_long = (now - self.looked) / polls > LONG_POLL;
        self.stride = if is_long { 1 } else { STRIDE };
        self.look_at = self.polls + self.stride;
        self.looked = now;
        now - self.began >= self.slice
    }

    /// The turn ends with work left.
    pub(super) fn end(&mut self) -> Yield {
        if self.clocked {
            self.end_at(Instant::now())
        } else {
            Yield::Deferred
        }
    }

    /// How long the turn took, in nanoseconds: till its end was noted, or till now.
    pub(super) fn lasted_ns(&self) -> u64 {
        if !self.clocked {
            return 0;
        }
        let end = self.left.unwrap_or_else(Instant::now);
        u64::try_from((end - self.began).as_nanos()).unwrap_or(u64::MAX)
    }

    fn end_at(&mut self, now: Instant) -> Yield {
        self.left = Some(now);
        if self.contended {
            Yield::Queued
        } else {
            Yield::Deferred
        }
    }
}
