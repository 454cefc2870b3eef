//! Signs of life, and how long each side waits for one.

use std::time::{Duration, Instant};

use crate::remote::limits::Limits;

/// The clock of one connection. What is heard counts, whatever it is, so that a large transfer is
/// a sign of life itself.
#[derive(Debug)]
pub(super) struct Pulse {
    heartbeat: Duration,
    /// How long an answer to a ping may take.
    grace: Duration,
    progress: Duration,
    heard: Instant,
    /// When the ping was sent that nothing has been heard since.
    pinged: Option<Instant>,
    token: u64,
    /// Since when a frame is there in part.
    half_frame: Option<Instant>,
}

/// What a timeout means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beat {
    /// Nothing yet.
    Calm,
    /// The peer is to be asked for a sign of life, by this token.
    Ping(u64),
    /// It has given none.
    Silent,
    /// A frame stands still half-way.
    Stalled,
}

impl Pulse {
    pub(super) fn new(limits: &Limits, now: Instant) -> Self {
        Self {
            heartbeat: limits.heartbeat,
            grace: limits
                .idle
                .saturating_sub(limits.heartbeat)
                .max(limits.heartbeat),
            progress: limits.progress,
            heard: now,
            pinged: None,
            token: 0,
            half_frame: None,
        }
    }

    /// A connection begins, or this side was away for longer than it meant: the peer is not to
    /// blame for what it could not say.
    pub(super) fn begin(&mut self, now: Instant) {
        self.heard = now;
        self.pinged = None;
        self.half_frame = self.half_frame.map(|_| now);
    }

    /// Something has come: whole frames, and maybe the beginning of one.
    pub(super) fn hear(&mut self, now: Instant, has_frames: bool, has_half: bool) {
        self.heard = now;
        self.pinged = None;
        self.half_frame = match self.half_frame {
            _ if !has_half => None,
            Some(since) if !has_frames => Some(since),
            _ => Some(now),
        };
    }

    /// The connection is gone, with what had come of a frame.
    pub(super) fn drop_half(&mut self) {
        self.half_frame = None;
    }

    pub(super) fn next(&self) -> Instant {
        let silence = match self.pinged {
            Some(pinged) => pinged + self.grace,
            None => self.heard + self.heartbeat,
        };
        self.half_frame
            .map_or(silence, |since| silence.min(since + self.progress))
    }

    /// How late a timeout may be before it tells more about this side than about the peer.
    pub(super) fn lateness_max(&self) -> Duration {
        self.heartbeat
    }

    pub(super) fn beat(&mut self, now: Instant) -> Beat {
        if self
            .half_frame
            .is_some_and(|since| now >= since + self.progress)
        {
            return Beat::Stalled;
        }
        match self.pinged {
            Some(pinged) if now >= pinged + self.grace => {
                self.heard = now;
                self.pinged = None;
                Beat::Silent
            }
            None if now >= self.heard + self.heartbeat => {
                self.pinged = Some(now);
                self.token += 1;
                Beat::Ping(self.token)
            }
            _ => Beat::Calm,
        }
    }
}
