//! What comes for those who ask, and the end of all that they wait for.

use bytes::Bytes;
use tokio::time::Instant;

use super::super::carry::Arrived;
use super::super::failure::{Failure, Why};
use super::super::frame::{AskKey, TargetId};
use super::super::remote_end::RemoteEnd;
use super::super::session::{Event, Fate, REPLY_TOO_LARGE, UNKNOWN_TARGET};
use super::{Inner, Wakes};

impl Inner {
    /// Whether an event concerns those who ask.
    #[inline]
    pub(in crate::remote) fn heeds(event: &Event) -> bool {
        use Event::*;
        matches!(
            event,
            Reply { .. }
                | Error { .. }
                | Ended { .. }
                | Found { .. }
                | Down { .. }
                | Granted { .. }
                | GrantedAll
        )
    }

    /// Takes an event of those.
    pub(in crate::remote) fn heed(&mut self, event: Event, wakes: &mut Wakes) {
        match event {
            Event::Reply { ask, payload } => {
                self.answer(ask, Arrived::Reply(payload), wakes);
            }
            Event::Error { ask, code, .. } => {
                self.answer(ask, Arrived::Failed(failure_of(code)), wakes);
            }
            Event::Ended { ask } => self.asks.close(ask),
            Event::Found {
                look_up,
                target,
                payload,
            } => {
                let payload = Bytes::copy_from_slice(&payload);
                let claim = target.map(|target| self.claim(target));
                match self.look_ups.remove(&look_up) {
                    Some(tell) => wakes.found(tell, (claim, payload)),
                    None => wakes.drop_later(claim),
                }
            }
            Event::Down { monitor, payload } => {
                if let Some(tell) = self.watches.remove(&monitor) {
                    wakes.end(tell, RemoteEnd::from_code(payload.first().copied()));
                }
            }
            Event::Granted { target } => self.granted.push(Some(target)),
            Event::GrantedAll => self.granted.push(None),
            other => debug_assert!(false, "{other:?} concerns who is asked"),
        }
    }

    /// After the last event of a batch: who got room sends. Not before, since what is sent takes
    /// names that are free from an event on which comes later in the batch.
    pub(in crate::remote) fn heed_granted(&mut self, wakes: &mut Wakes) {
        let mut granted = std::mem::take(&mut self.granted);
        for target in granted.drain(..) {
            self.advance(target, wakes);
        }
        self.granted = granted;
    }

    fn answer(&mut self, ask: AskKey, arrived: Arrived, wakes: &mut Wakes) {
        if let Some((waker, since)) = self.asks.arrive(ask, arrived) {
            self.tally.count_round_trip(self.asks.now - since);
            wakes.waker(waker);
        }
    }

    /// When there may be asks that are overdue.
    pub(in crate::remote) fn next_due(&self) -> Option<Instant> {
        let dues = [self.asks.next_due(), self.lines.next_due()];
        dues.into_iter().flatten().min()
    }

    /// Asks that nobody has limited, and nobody answers or takes, have their end.
    pub(in crate::remote) fn sweep(&mut self, now: Instant, wakes: &mut Wakes) {
        if self.next_due().is_none_or(|due| due > now) {
            return;
        }
        self.lines.sweep(&mut self.session, now, wakes);
        for (ask, waker) in self.asks.sweep(now) {
            wakes.waker(waker);
            if self.session.cancel(ask, now.into_std()) {
                self.advance(None, wakes);
            }
        }
    }

    /// Room came: for one target, or for all.
    pub(super) fn advance(&mut self, target: Option<TargetId>, wakes: &mut Wakes) {
        if self.is_asleep {
            self.asks.now = Instant::now();
        }
        let (session, asks) = (&mut self.session, &mut self.asks);
        self.lines.advance(session, asks, target, wakes);
    }

    /// The session is over: all that waits is told so.
    pub(super) fn abandon(&mut self, wakes: &mut Wakes) {
        let leftovers = self.session.end();
        for (ask, fate) in leftovers.asks {
            let arrived = match fate {
                Fate::NotSent => Arrived::NotSent,
                Fate::OutcomeUnknown => Arrived::Lost,
            };
            if let Some((waker, _)) = self.asks.arrive(ask, arrived) {
                wakes.waker(waker);
            }
        }
        self.lines.abandon(wakes);
        self.forget_lent(wakes);
        wakes.drop_later(std::mem::take(&mut self.look_ups));
        for (_, tell) in self.watches.drain() {
            wakes.end(tell, RemoteEnd::Unknown);
        }
    }
}

/// Codes are the session's own, or those of who answers.
fn failure_of(code: u32) -> Failure {
    match code {
        UNKNOWN_TARGET => Failure::NotHandled(Why::Stale),
        REPLY_TOO_LARGE => Failure::ReplyTooLarge,
        code => Failure::from_code(u16::try_from(code).unwrap_or(u16::MAX)),
    }
}
