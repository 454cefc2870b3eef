//! Reports, and the actions that the roster answers them with.

use std::sync::Arc;

use super::{Desk, Member, answer};
use crate::actor::{ExitReason, Signal, SpawnErrorKind, StartError};
use crate::error::BoxError;
use crate::supervise::decision::Exit;
use crate::supervise::error::ChildError;
use crate::supervise::inbox::{Event, What};
use crate::supervise::roster::{Action, Moment, Place};

impl Desk {
    /// Reads what was reported, and does what follows.
    pub(crate) fn turn(&mut self) {
        self.turn_at(self.now());
    }

    pub(super) fn turn_at(&mut self, now: Moment) {
        loop {
            self.turn_once(now);
            let heeds = self.owes_starts || !self.roster.is_launched();
            if heeds == self.heeds_starts {
                return;
            }
            self.heeds_starts = heeds;
            if !self.plan.inbox.heed_starts(heeds) {
                return;
            }
        }
    }

    fn turn_once(&mut self, now: Moment) {
        let mut events = std::mem::take(&mut self.events);
        self.plan.inbox.fetch(&mut events);
        for event in events.drain(..) {
            if event.epoch == self.epoch {
                self.read(event, now);
            }
        }
        self.events = events;
        self.roster.tick(now);
        let actions = self.roster.take_actions();
        for action in &actions {
            self.perform(*action);
        }
        self.roster.reuse(actions);
        if !self.has_launched && self.roster.is_launched() {
            self.has_launched = true;
            if let Some(link) = self.plan.link() {
                link.has_launched();
            }
            for ack in std::mem::take(&mut self.on_launch) {
                let _ = ack.send(());
            }
        }
    }

    fn read(&mut self, event: Event, now: Moment) {
        let place = event.place;
        match event.what {
            What::Started(at) => {
                let since = at.saturating_duration_since(self.began);
                if self.roster.started(place, since)
                    && let Some(member) = self.members.get_mut(place)
                {
                    for ack in std::mem::take(&mut member.on_start) {
                        answer(ack, Ok(()));
                    }
                }
            }
            What::Down(exit, reason) => {
                if let Some(member) = self.members.get_mut(place) {
                    member.note_end(exit, reason);
                }
                self.roster.ended(place, exit, now);
            }
            What::Gone(exit, reason) => self.read_gone(place, exit, reason, now),
        }
    }

    fn read_gone(&mut self, place: Place, exit: Exit, reason: ExitReason, now: Moment) {
        if let Some(member) = self.leaving.remove(&place) {
            return member.part();
        }
        let Some(member) = self.members.get_mut(place) else {
            return;
        };
        member.note_end(exit, reason);
        member.cell = None;
        member.is_retiring = false;
        for ack in std::mem::take(&mut member.on_end) {
            answer(ack, Ok(()));
        }
        if std::mem::take(&mut member.starts_anew) {
            self.start(place);
        } else {
            self.roster.ended(place, exit, now);
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Start(place) => self.start(place),
            Action::Halt(place) => self.signal(place, Signal::Halt),
            Action::Kill {
                place,
                comes_back: true,
            } => self.signal(place, Signal::HaltNow),
            Action::Kill { place, .. } => {
                if let Some(cell) = &self.member(place).cell {
                    cell.ward.dismiss();
                }
            }
            Action::Stop(place) => {
                if let Some(cell) = &self.member(place).cell {
                    cell.ward.stop();
                }
            }
            Action::Retire(place) => self.retire(place),
            Action::Remove(place) => self.remove(place),
        }
    }

    fn signal(&mut self, place: Place, signal: Signal) {
        if let Some(cell) = &self.member(place).cell {
            cell.ward.signal(signal);
        }
    }

    fn start(&mut self, place: Place) {
        let member = self.member(place);
        if member.is_retiring {
            member.starts_anew = true;
            return;
        }
        if let Some(cell) = &member.cell {
            return cell.start();
        }
        let cell = match member.spec.make() {
            Ok(cell) => cell,
            Err(error) => return self.report(place, not_made(error)),
        };
        self.adopt(place, &cell);
        let id = cell.ward.identity().id();
        self.ids.insert(id, place);
        cell.start();
        let member = self.member(place);
        let old = member.id.replace(id);
        member.cell = Some(cell);
        old.map(|old| self.ids.remove(&old));
    }

    /// Has a cell end for good whose child may be started again.
    fn retire(&mut self, place: Place) {
        let member = self.member(place);
        match &member.cell {
            Some(cell) => {
                member.is_retiring = true;
                cell.ward.dismiss();
            }
            None => {
                for ack in std::mem::take(&mut member.on_end) {
                    answer(ack, Ok(()));
                }
            }
        }
    }

    pub(super) fn remove(&mut self, place: Place) {
        let Some(mut member) = self.members.remove(place) else {
            return;
        };
        if let Some(name) = member.spec.name()
            && self.names.get(name) == Some(&place)
        {
            self.names.remove(&Arc::clone(name));
        }
        member.id.map(|id| self.ids.remove(&id));
        for ack in std::mem::take(&mut member.on_start) {
            answer(ack, Err(ChildError::Unknown));
        }
        match &member.cell {
            Some(cell) => {
                cell.ward.dismiss();
                self.leaving.insert(place, member);
            }
            None => member.part(),
        }
    }
}

/// Why there is no cell: what is refused now may be given later, and else the runtime is ending,
/// for what could be wrong with the child was looked at before.
fn not_made(error: SpawnErrorKind) -> What {
    match error {
        SpawnErrorKind::Overload(_)
        | SpawnErrorKind::NameTaken { .. }
        | SpawnErrorKind::TooManyThreads(_)
        | SpawnErrorKind::NoThread(_) => {
            let error = match error {
                SpawnErrorKind::Overload(overload) => overload.into(),
                error => BoxError::from(error),
            };
            What::Down(
                Exit::Failed,
                ExitReason::StartFailed(StartError::new(error)),
            )
        }
        _ => What::Gone(Exit::Told, ExitReason::RuntimeGone),
    }
}

impl Member {
    fn note_end(&mut self, exit: Exit, reason: ExitReason) {
        if exit == Exit::Failed {
            self.last_failure = Some(reason);
        }
    }

    /// It has gone.
    fn part(self) {
        for ack in self.on_end {
            answer(ack, Ok(()));
        }
    }
}
