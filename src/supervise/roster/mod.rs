//! The children of a supervisor as values: what has become of each, and what is to be done.
//!
//! Events go in, [`Action`]s come out, and time is an argument. There is no actor here, no clock
//! and no thread, so that everything can be replayed. `ends` says what an end leads to, `flow` what
//! comes next in the modes that span several children, `orders` what is asked for by hand.

use std::collections::BTreeSet;
use std::time::Duration;

use super::ascending::Ascending;
use super::backoff::Backoff;
use super::intensity::{Intensity, Window};
use super::restart::Restart;
use super::shutdown::Shutdown;
use super::strategy::{AutoShutdown, Strategy};
use crate::rng::Rng;

mod ends;
mod flow;
pub(crate) mod orders;

#[cfg(test)]
mod explore;
#[cfg(test)]
mod model;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod tests;

/// A point in time, as what has passed since the supervisor began.
pub(crate) type Moment = Duration;

/// A child's place in the order of starts. Never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(u64);

/// What a supervisor was told of all its children.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) strategy: Strategy,
    pub(crate) auto_shutdown: AutoShutdown,
    /// For each child that has none of its own.
    pub(crate) each: Intensity,
    /// For all of them together.
    pub(crate) together: Option<Intensity>,
}

/// What it was told of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Policy {
    pub(crate) restart: Restart,
    pub(crate) shutdown: Shutdown,
    pub(crate) backoff: Backoff,
    pub(crate) intensity: Option<Intensity>,
    pub(crate) is_significant: bool,
}

/// What is to be done, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Start it; it is down.
    Start(Place),
    /// End its incarnation after what it is doing. Its mailbox stays open.
    Halt(Place),
    /// Stop it for good, after what its mailbox has accepted.
    Stop(Place),
    /// End it at its next await. It keeps its mailbox if it `comes_back`.
    Kill { place: Place, comes_back: bool },
    /// It has ended for good, but may be started anew.
    Retire(Place),
    /// It has ended for good, and is no child any more.
    Remove(Place),
}

/// Why a supervisor ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It is told to.
    Told,
    /// It is told to, and is to be started again.
    Halted,
    /// A significant child has ended.
    Significant,
    /// This child failed once more than it may.
    GaveUp(Place),
}

impl Why {
    /// Whether the children may come back with their supervisor.
    fn comes_back(self) -> bool {
        matches!(self, Self::Halted | Self::GaveUp(_))
    }
}

/// What has become of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is down until its turn comes.
    Waiting,
    /// It is down until its backoff has passed.
    Delayed,
    Starting,
    Up {
        since: Moment,
    },
    Ending {
        then: Then,
        /// Whether it was told so that it can be started again.
        comes_back: bool,
    },
    /// It was terminated.
    Resting,
}

impl Standing {
    fn is_live(self) -> bool {
        matches!(self, Self::Starting | Self::Up { .. } | Self::Ending { .. })
    }

    /// Whether it was terminated, or is about to be.
    fn is_put_aside(self) -> bool {
        let is_going = matches!(self, Self::Ending { then, .. } if then == Then::Rest);
        is_going || self == Self::Resting
    }
}

/// What becomes of a child that is ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It waits for its turn.
    Wait,
    /// It is started again.
    Start,
    /// It rests.
    Rest,
    /// The supervisor ends.
    Leave,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing was begun.
    Still,
    /// From this place on, those who wait are started one after the other.
    Launching(Place),
    /// From this place on, all end, the last first; then until this moment they are down.
    Halting(Place, Moment),
    Steady,
    Closing(Why),
    Closed(Why),
}

#[derive(Clone, Debug)]
struct Child {
    policy: Policy,
    standing: Standing,
    window: Window,
    /// In a row, for the backoff.
    failures: u32,
    restarts: u64,
    alarm: Option<Moment>,
}

#[derive(Clone, Debug)]
pub(crate) struct Roster {
    rules: Rules,
    children: Ascending<Place, Child>,
    next: u64,
    mode: Mode,
    together: Window,
    alarms: BTreeSet<(Moment, Place)>,
    rng: Rng,
    actions: Vec<Action>,
}

impl Roster {
    pub(crate) fn new(rules: Rules, seed: u64) -> Self {
        Self {
            rules,
            children: Ascending::default(),
            next: 0,
            mode: Mode::Still,
            together: Window::default(),
            alarms: BTreeSet::new(),
            rng: Rng::seeded(seed),
            actions: Vec::new(),
        }
    }

    /// What is to be done since the last call.
    pub(crate) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Gives the memory of actions back that have been done.
    pub(crate) fn reuse(&mut self, mut done: Vec<Action>) {
        if self.actions.capacity() == 0 {
            done.clear();
            self.actions = done;
        }
    }

    /// When [`Roster::tick`] has something to do.
    pub(crate) fn alarm(&self) -> Option<Moment> {
        let pause = match self.mode {
            Mode::Halting(_, until) if !self.is_halting() => Some(until),
            _ => None,
        };
        let first = self.alarms.first().map(|(at, _)| *at);
        pause.into_iter().chain(first).min()
    }

    /// What has become of a child, and how often it was restarted.
    pub(crate) fn look(&self, place: Place) -> Option<(Standing, u64)> {
        let child = self.children.get(place)?;
        Some((child.standing, child.restarts))
    }

    /// When a child that waits for its backoff is started.
    pub(crate) fn due(&self, place: Place) -> Option<Moment> {
        self.children.get(place)?.alarm
    }

    /// Whether all that were to be started have been, or are no children any more.
    pub(crate) fn is_launched(&self) -> bool {
        matches!(self.mode, Mode::Steady)
    }

    /// Why it ends, once it does.
    pub(crate) fn closing(&self) -> Option<Why> {
        match self.mode {
            Mode::Closing(why) | Mode::Closed(why) => Some(why),
            _ => None,
        }
    }

    /// Whether it ends, and no child is left that runs.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.mode, Mode::Closed(_))
    }

    fn child(&mut self, place: Place) -> &mut Child {
        self.children
            .get_mut(place)
            .expect("a place that was looked up")
    }

    fn set_alarm(&mut self, place: Place, alarm: Option<Moment>) {
        let child = self.child(place);
        let old = std::mem::replace(&mut child.alarm, alarm);
        if let Some(at) = old {
            self.alarms.remove(&(at, place));
        }
        if let Some(at) = alarm {
            self.alarms.insert((at, place));
        }
    }

    fn start(&mut self, place: Place) {
        let child = self.child(place);
        child.standing = Standing::Starting;
        if child.alarm.is_some() {
            self.set_alarm(place, None);
        }
        self.actions.push(Action::Start(place));
    }

    /// Has a child end that runs, as far as that is not on its way. One that is halted, and is not
    /// to come back any more, is told to stop: so it handles what it has accepted.
    fn end(&mut self, place: Place, then: Then, now: Moment) {
        let comes_back = match then {
            Then::Wait | Then::Start => true,
            Then::Rest => false,
            Then::Leave => self.closing().is_some_and(Why::comes_back),
        };
        let child = self.child(place);
        if let Standing::Ending {
            then: old,
            comes_back: is_halted,
        } = &mut child.standing
        {
            *old = then;
            if comes_back || !*is_halted {
                return;
            }
        }
        child.standing = Standing::Ending { then, comes_back };
        let deadline = child.policy.shutdown.deadline(now);
        if deadline == Some(now) {
            self.actions.push(Action::Kill { place, comes_back });
            return;
        }
        self.actions.push(match comes_back {
            true => Action::Halt(place),
            false => Action::Stop(place),
        });
        self.set_alarm(place, deadline);
    }

    fn remove(&mut self, place: Place) {
        self.set_alarm(place, None);
        self.children.remove(place);
        self.actions.push(Action::Remove(place));
    }

    /// Time has passed: limits and backoffs may have.
    pub(crate) fn tick(&mut self, now: Moment) {
        while let Some(&(at, place)) = self.alarms.first() {
            if at > now {
                break;
            }
            self.set_alarm(place, None);
            match self.child(place).standing {
                Standing::Delayed => self.start(place),
                Standing::Ending { comes_back, .. } => {
                    self.actions.push(Action::Kill { place, comes_back });
                }
                standing => unreachable!("no alarm is set while {standing:?}"),
            }
        }
        self.go_on(now);
    }
}
