//! What happens because nothing did.

use std::time::{Duration, Instant};

use super::Session;
use super::asks::Waiting;
use super::body::Body;
use super::event::Event;
use super::larges::Larges;
use super::pulse::Beat;
use crate::remote::frame::{Record, Violation};

/// After so long it is tried again to send cancels that were too many.
const CANCELS_AGAIN: Duration = Duration::from_millis(10);

impl Session {
    /// When `on_timeout` should be called; `None` while there is no connection. A call that comes
    /// early does no harm, so a timer may be left to run when the time moves on.
    pub(crate) fn next_timeout(&self) -> Option<Instant> {
        let due = self.due()?;
        // What a cancel, or another connection, gave back is told of at once.
        let is_wanted = self.wanted.may_grant(|is_ask| self.has_room(is_ask));
        Some(if self.may_open_gate() || is_wanted {
            due.min(self.now)
        } else {
            due
        })
    }

    /// When the peer, or the rate of cancels, is next looked at.
    fn due(&self) -> Option<Instant> {
        if !self.connected || self.closed {
            return None;
        }
        let stalled = self.partials.stalled_at(self.progress);
        let again = (!self.late_cancels.is_empty()).then(|| self.now + CANCELS_AGAIN);
        [Some(self.pulse.next()), stalled, again]
            .into_iter()
            .flatten()
            .min()
    }

    /// Time has passed. An error is a violation of the peer's; see `receive`.
    pub(crate) fn on_timeout(
        &mut self,
        now: Instant,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        let Some(due) = self.due() else {
            return Ok(());
        };
        if now > due + self.pulse.lateness_max() {
            // This side has slept, or its clock has leapt: the peer gets its whole time again.
            self.pulse.begin(now);
            self.partials.excuse(now);
        }
        self.now = self.now.max(now);
        self.send_late_cancels();
        self.give_room(events);
        match self.pulse.beat(now) {
            Beat::Calm => {}
            Beat::Ping(token) => {
                self.exports.hurry();
                self.shrink();
                self.append(&Record::Ping { token }, Body::Copied(&[]));
            }
            Beat::Silent => events.push(Event::Silent),
            Beat::Stalled => return self.violated(Violation::Stalled),
        }
        match self.partials.stalled_at(self.progress) {
            Some(at) if now >= at => self.violated(Violation::Stalled),
            _ => Ok(()),
        }
    }

    fn send_late_cancels(&mut self) {
        while let Some(&key) = self.late_cancels.front() {
            let is_open = matches!(self.asks.look(key), Some((Waiting::End, ..)));
            if is_open && !self.cancels.take(self.now) {
                return;
            }
            self.late_cancels.pop_front();
            if is_open {
                self.append(&Record::Cancel { ask: key.ask }, Body::Copied(&[]));
            }
        }
    }

    /// The peer has broken the protocol: it is told, and the session takes nothing more.
    pub(super) fn violated(&mut self, violation: Violation) -> Result<(), Violation> {
        self.larges = Larges::default();
        self.close(violation.code());
        Err(violation)
    }
}
