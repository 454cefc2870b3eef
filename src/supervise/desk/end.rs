//! The end of a supervisor.

use std::sync::Arc;

use super::Desk;
use crate::actor::{ExitReason, GaveUp, Signal};
use crate::supervise::link::Phase;
use crate::supervise::roster::{Place, Why};

impl Desk {
    /// Has all children end, the last first.
    pub(crate) fn close(&mut self, why: Why) {
        let now = self.now();
        self.roster.close(why, now);
    }

    /// How the supervisor has decided to end, if it has.
    pub(crate) fn decision(&self) -> Option<ExitReason> {
        match self.roster.closing()? {
            Why::Told | Why::Halted | Why::Significant => Some(ExitReason::Stopped),
            Why::GaveUp(place) => Some(ExitReason::GaveUp(self.give_up(place))),
        }
    }

    fn give_up(&self, place: Place) -> GaveUp {
        let twig = self.twig(place, &self.members[place]);
        let name = twig.info.name;
        let child = twig.info.actor.map_or(name, |actor| actor.to_string());
        let last = twig.info.last_failure.unwrap_or(ExitReason::Killed);
        GaveUp::new(child, twig.info.restarts, last)
    }

    /// Whether the supervisor may end: all children have, and those have gone that don't come back
    /// with it.
    pub(crate) fn is_home(&mut self) -> bool {
        if !self.roster.is_closed() {
            return false;
        }
        let left: Vec<Place> = self.members.iter().map(|(place, _)| place).collect();
        for place in left {
            let member = self.member(place);
            match (member.index, member.cell.take()) {
                (Some(index), Some(cell)) => self.plan.keep(index, cell),
                (_, cell) => member.cell = cell,
            }
            self.remove(place);
        }
        self.leaving.is_empty()
    }

    /// Waits for a report or an alarm.
    pub(crate) async fn wait(&self) {
        let inbox = Arc::clone(&self.plan.inbox);
        match self.alarm() {
            Some(alarm) => drop(tokio::time::timeout_at(alarm, inbox.changed()).await),
            None => inbox.changed().await,
        }
    }
}

impl Drop for Desk {
    /// The children of a supervisor that was killed are, too, in reverse. Those that it was built
    /// with wait for its next incarnation, or its end.
    fn drop(&mut self) {
        self.plan.inbox.silence();
        while let Some((_, mut member)) = self.members.pop_last() {
            let Some(index) = member.index else { continue };
            if let Some(cell) = member.cell.take() {
                if cell.link.phase() == Phase::Live {
                    cell.ward.signal(Signal::HaltNow);
                }
                self.plan.keep(index, cell);
            }
        }
    }
}
