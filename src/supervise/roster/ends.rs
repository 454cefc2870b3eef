//! What the events of a child lead to.

use super::{Action, Child, Moment, Place, Roster, Standing, Then, Why};
use crate::supervise::decision::{Case, Decision, Exit, Scope, comes_back, decide};
use crate::supervise::restart::Restart;
use crate::supervise::strategy::AutoShutdown;

impl Roster {
    /// A child's start hook has returned. False if it is no start that was waited for.
    pub(crate) fn started(&mut self, place: Place, now: Moment) -> bool {
        let Some(child) = self.children.get_mut(place) else {
            return false;
        };
        let is_starting = child.standing == Standing::Starting;
        if is_starting {
            child.standing = Standing::Up { since: now };
            self.go_on(now);
        }
        is_starting
    }

    /// A child's incarnation has ended: its state is gone.
    pub(crate) fn ended(&mut self, place: Place, exit: Exit, now: Moment) {
        let Some(child) = self.children.get(place) else {
            return;
        };
        match child.standing {
            _ if self.closing().is_some() => self.leave(place),
            // Somebody else had it restarted.
            Standing::Starting | Standing::Up { .. } if exit == Exit::Halted => {
                self.has_ended(place, Then::Start, true, exit, now);
            }
            Standing::Starting | Standing::Up { .. } => self.decide(place, exit, now),
            Standing::Ending { then, comes_back } => {
                self.has_ended(place, then, comes_back, exit, now);
            }
            Standing::Waiting | Standing::Delayed if exit == Exit::Told => {
                self.decide(place, exit, now);
            }
            // It was killed while it was down.
            Standing::Waiting | Standing::Delayed | Standing::Resting => {}
        }
        self.go_on(now);
    }

    /// It ended, and was to.
    fn has_ended(&mut self, place: Place, then: Then, halted: bool, exit: Exit, now: Moment) {
        self.set_alarm(place, None);
        let restart = self.child(place).policy.restart;
        let is_over = match exit {
            Exit::Halted => then == Then::Wait && restart == Restart::Temporary,
            _ => !comes_back(exit, restart),
        };
        match then {
            Then::Leave => self.leave(place),
            Then::Rest => self.put_to_rest(place),
            // It was to come back, but has ended for good by itself.
            Then::Wait | Then::Start if halted && is_over => self.decide(place, exit, now),
            Then::Start if !self.is_halted(place) => {
                self.child(place).restarts += 1;
                self.start(place);
            }
            Then::Wait | Then::Start => self.wait(place),
        }
    }

    /// It was terminated, and is down.
    pub(super) fn put_to_rest(&mut self, place: Place) {
        if self.child(place).policy.restart == Restart::Temporary {
            return self.remove(place);
        }
        self.set_alarm(place, None);
        self.child(place).standing = Standing::Resting;
        self.actions.push(Action::Retire(place));
    }

    /// Its turn will come again.
    fn wait(&mut self, place: Place) {
        let child = self.child(place);
        child.standing = Standing::Waiting;
        child.restarts += 1;
    }

    fn decide(&mut self, place: Place, exit: Exit, now: Moment) {
        let has_budget = self.has_budget(place, now);
        let child = &self.children[place];
        let is_other = |(other, child): (Place, &Child)| {
            other != place && child.policy.is_significant && !child.standing.is_put_aside()
        };
        let auto_shutdown = self.rules.auto_shutdown;
        let asks = child.policy.is_significant && auto_shutdown == AutoShutdown::AllSignificant;
        let decision = decide(Case {
            exit,
            restart: child.policy.restart,
            strategy: self.rules.strategy,
            has_budget,
            is_significant: child.policy.is_significant,
            auto_shutdown,
            has_significant_others: asks && self.children.iter().any(is_other),
        });
        match decision {
            Decision::Restart(scope) => self.bring_back(place, scope, now),
            Decision::Remove => self.remove(place),
            Decision::ShutDown => {
                self.remove(place);
                self.close(Why::Significant, now);
            }
            Decision::GiveUp => {
                self.child(place).standing = Standing::Waiting;
                self.close(Why::GaveUp(place), now);
            }
        }
    }

    /// Whether one more restart of it is within the limits. If so, and it fails, it is to be noted.
    fn has_budget(&mut self, place: Place, now: Moment) -> bool {
        let each = self.rules.each;
        let child = self.child(place);
        let own = child
            .window
            .has_room(child.policy.intensity.unwrap_or(each), now);
        let together = self.rules.together;
        own && together.is_none_or(|intensity| self.together.has_room(intensity, now))
    }

    fn bring_back(&mut self, place: Place, scope: Scope, now: Moment) {
        let each = self.rules.each;
        if let Some(together) = self.rules.together {
            self.together.note(together, now);
        }
        let until = self.backoff(place, now);
        let child = self.child(place);
        let intensity = child.policy.intensity.unwrap_or(each);
        child.window.note(intensity, now);
        match scope {
            Scope::Alone => {
                child.restarts += 1;
                if until > now {
                    child.standing = Standing::Delayed;
                    self.set_alarm(place, Some(until));
                } else {
                    self.start(place);
                }
            }
            Scope::All => {
                self.wait(place);
                self.halt(Place(0), until);
            }
            Scope::Rest => {
                self.wait(place);
                self.halt(place, until);
            }
        }
    }

    /// When its backoff will have passed.
    fn backoff(&mut self, place: Place, now: Moment) -> Moment {
        let Some(child) = self.children.get_mut(place) else {
            return now;
        };
        let policy = child.policy;
        if let Standing::Up { since } = child.standing
            && policy.backoff.is_healthy(now.saturating_sub(since))
        {
            child.failures = 0;
        }
        let delay = policy.backoff.delay(child.failures, &mut self.rng);
        child.failures = child.failures.saturating_add(1);
        now.saturating_add(delay)
    }
}
