//! How long a pump's turns are, and how it yields.
//!
//! A pump is one task among tokio's, and drives many. It runs short turns, so that tokio's tasks
//! and drivers come next. When tokio keeps it away for longer than that, tokio is busy: then a
//! turn is one *pass*, in which each unit that waits has its run, however long that takes, within
//! a limit. So a task of ours runs as often as one of tokio's. When tokio runs nothing else and
//! polls are short, turns double up to a limit: on a multi-thread runtime each yield of a lone
//! task has tokio wake a sleeping worker, in vain.
//!
//! It yields by tokio's deferral, to when tokio's queue is dry and its drivers have been turned.
//! Where tasks of tokio's never let that queue run dry, the deferral takes many times as long as
//! one pass over it: there the pump yields to the back of the queue. Which it is shows a trial: if
//! the pump comes back at once, the queue was dry.

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

/// And while they are shorter than [`SHORT_POLL`], where a look costs as much as one of them.
const LONG_STRIDE: usize = 32;

/// A pump that comes back sooner than this after it yielded was alone: tokio ran nothing else.
const ALONE: Duration = Duration::from_micros(10);

/// As `Pace::alone` is from the second time on.
const ALONE_FOR_GOOD: u32 = 4;

const _: () = assert!(ALONE_FOR_GOOD <= limits::TURNS_ALONE);

/// A poll that takes longer than this is looked at by the clock one by one.
const LONG_POLL: Duration = Duration::from_micros(2);

/// Polls that are shorter are looked at seldom.
const SHORT_POLL: Duration = Duration::from_nanos(250);

/// A pass takes this long at least: what few short units wake in it runs in the same turn.
const PASS_MIN: Duration = Duration::from_micros(10);

/// Contended turns between two trials whether tokio's queue runs dry.
const TRIAL_INTERVAL: u32 = 16;

/// The length of a pump's turns.
#[derive(Debug)]
pub(super) struct Pace {
    polls_per_turn: usize,
    /// Without a clock turns are counted in polls only, and repeat.
    clocked: bool,
    began: Instant,
    left: Option<Instant>,
    /// How this turn ends.
    how: Yield,
    /// Contended turns until the next trial.
    until_trial: u32,
    /// Tokio kept the pump away lately.
    crowded: bool,
    /// How many of the shortest turns this one may take, since tokio has nothing else to run.
    alone: u32,
    polls: usize,
    /// Units that have their run in this turn though its time is over.
    pass: usize,
    polls_max: usize,
    /// What the turn takes if it is no pass, or a pass at least.
    slice: Duration,
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
            how: Yield::Deferred,
            until_trial: 0,
            crowded: false,
            alone: 1,
            polls: 0,
            pass: 0,
            polls_max: polls_per_turn,
            slice: limits::TURN_MIN,
            look_at: STRIDE,
            stride: STRIDE,
            looked: now,
        }
    }

    /// A turn begins; `waiting` counts the units that wait for this pump.
    pub(super) fn begin(&mut self, waiting: impl FnOnce() -> usize) {
        self.start();
        if self.clocked {
            self.begin_at(Instant::now(), waiting);
        }
    }

    fn start(&mut self) {
        self.polls = 0;
        self.pass = 0;
        self.look_at = self.stride;
        self.polls_max = self.polls_per_turn;
    }

    fn begin_at(&mut self, now: Instant, waiting: impl FnOnce() -> usize) {
        self.began = now;
        self.looked = now;
        let away = self.left.take().map(|left| now - left);
        self.alone = match away {
            Some(away) if away < ALONE && self.stride > 1 => {
                (self.alone * 2).min(limits::TURNS_ALONE)
            }
            _ => 1,
        };
        let contended = away.is_some_and(|away| away > limits::TURN_MIN);
        self.crowded = contended || self.crowded && away.is_some() && self.alone < ALONE_FOR_GOOD;
        self.choose_yield(contended);
        if contended {
            self.pass = waiting();
            self.slice = PASS_MIN;
            self.polls_max = self.pass.max(self.polls_per_turn);
        } else {
            self.slice = limits::TURN_MIN * self.alone;
            let times = usize::try_from(self.alone).unwrap_or(1);
            self.polls_max = self.polls_per_turn.saturating_mul(times);
        }
    }

    /// By how the last yield went.
    fn choose_yield(&mut self, contended: bool) {
        self.how = match (self.how, contended) {
            (Yield::Queued, true) => Yield::Queued,
            (Yield::Queued, false) => {
                self.until_trial = TRIAL_INTERVAL;
                Yield::Deferred
            }
            (Yield::Deferred, true) if self.until_trial == 0 => Yield::Queued,
            (Yield::Deferred, true) => {
                self.until_trial -= 1;
                Yield::Deferred
            }
            (Yield::Deferred, false) => Yield::Deferred,
        };
    }

    /// Whether tokio kept the pump away lately.
    pub(super) fn is_crowded(&self) -> bool {
        self.crowded
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
        let poll = (now - self.looked) / polls;
        self.stride = match poll {
            _ if poll > LONG_POLL => 1,
            _ if poll > SHORT_POLL => STRIDE,
            _ => LONG_STRIDE,
        };
        self.look_at = self.polls + self.stride;
        self.looked = now;
        let ran = now - self.began;
        ran >= limits::TURN_MAX || ran >= self.slice && self.polls >= self.pass
    }

    /// The turn ends with nothing left to do.
    pub(super) fn rest(&mut self) {
        self.crowded = false;
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
        self.how
    }
}
