//! What comes next, in the modes that span several children.

use super::{Mode, Moment, Place, Roster, Standing, Then, Why};

impl Roster {
    /// A child that was added runs already, but was told to end.
    pub(crate) fn is_ending(&mut self, place: Place) {
        debug_assert_eq!(self.mode, Mode::Still);
        self.child(place).standing = Standing::Ending {
            then: Then::Wait,
            comes_back: true,
        };
    }

    /// Starts what is there, in order.
    pub(crate) fn begin(&mut self, now: Moment) {
        debug_assert_eq!(self.mode, Mode::Still);
        self.mode = Mode::Launching(Place(0));
        self.go_on(now);
    }

    /// Ends all children, the last first.
    pub(crate) fn close(&mut self, why: Why, now: Moment) {
        if self.closing().is_some() {
            return;
        }
        self.mode = Mode::Closing(why);
        self.put_down();
        self.go_on(now);
    }

    /// Removes all who are down, if they don't come back with their supervisor.
    fn put_down(&mut self) {
        let down = self.children.iter();
        let down = down.filter(|(_, child)| !child.standing.is_live());
        for place in down.map(|(place, _)| place).collect::<Vec<_>>() {
            self.leave(place);
        }
    }

    /// A child is down for as long as its supervisor is.
    pub(super) fn leave(&mut self, place: Place) {
        match self.mode {
            Mode::Closing(why) | Mode::Closed(why) if why.comes_back() => {
                self.set_alarm(place, None);
                self.child(place).standing = Standing::Waiting;
            }
            _ => self.remove(place),
        }
    }

    /// From `from` on, all are to be down, and not before `until` come up again.
    pub(super) fn halt(&mut self, from: Place, until: Moment) {
        self.mode = match self.mode {
            Mode::Halting(other, later) => Mode::Halting(from.min(other), until.max(later)),
            Mode::Launching(next) => Mode::Halting(from.min(next), until),
            Mode::Steady => Mode::Halting(from, until),
            Mode::Still | Mode::Closing(_) | Mode::Closed(_) => {
                unreachable!("nothing is restarted then")
            }
        };
    }

    /// Whether some that are to be down are not.
    pub(super) fn is_halting(&self) -> bool {
        match self.mode {
            Mode::Halting(from, _) => self.last_live(from).is_some(),
            _ => false,
        }
    }

    /// Whether a child is among those that are to be down.
    pub(super) fn is_halted(&self, place: Place) -> bool {
        matches!(self.mode, Mode::Halting(from, _) if from <= place)
    }

    fn last_live(&self, from: Place) -> Option<(Place, Standing)> {
        let mut children = self.children.from(from).rev();
        let (place, child) = children.find(|(_, child)| child.standing.is_live())?;
        Some((place, child.standing))
    }

    /// Does what can be done now.
    pub(super) fn go_on(&mut self, now: Moment) {
        loop {
            let is_done = match self.mode {
                Mode::Still | Mode::Steady | Mode::Closed(_) => true,
                Mode::Launching(next) => {
                    self.launch(next);
                    true
                }
                Mode::Halting(from, until) => self.bring_down(from, until, now),
                Mode::Closing(why) => self.bring_home(why, now),
            };
            if is_done {
                return;
            }
        }
    }

    /// Starts the next one, once those before it are up.
    fn launch(&mut self, next: Place) {
        let mut children = self.children.from(next);
        let found = children.find(|(_, child)| {
            use Standing::{Ending, Starting, Waiting};
            matches!(
                child.standing,
                Waiting
                    | Starting
                    | Ending {
                        then: Then::Start,
                        ..
                    }
            )
        });
        let Some((place, child)) = found else {
            self.mode = Mode::Steady;
            return;
        };
        let waits = child.standing == Standing::Waiting;
        self.mode = Mode::Launching(place);
        if waits {
            self.start(place);
        }
    }

    fn bring_down(&mut self, from: Place, until: Moment, now: Moment) -> bool {
        match self.last_live(from) {
            Some((_, Standing::Ending { .. })) => true,
            Some((place, _)) => {
                self.end(place, Then::Wait, now);
                true
            }
            None if until > now => true,
            None => {
                self.mode = Mode::Launching(from);
                false
            }
        }
    }

    fn bring_home(&mut self, why: Why, now: Moment) -> bool {
        match self.last_live(Place(0)) {
            Some((place, _)) => self.end(place, Then::Leave, now),
            None => self.mode = Mode::Closed(why),
        }
        true
    }
}
