//! What is asked for by hand.

use super::{Action, Child, Mode, Moment, Place, Policy, Roster, Standing, Then};
use crate::supervise::intensity::Window;

/// Why something that was asked for is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderError {
    /// There is no such child.
    Unknown,
    /// It has not been terminated.
    Runs,
    /// The supervisor is ending.
    Closing,
}

impl Roster {
    /// Adds a child after all others. It is started when its turn comes.
    pub(crate) fn add(&mut self, policy: Policy, now: Moment) -> Result<Place, OrderError> {
        if self.closing().is_some() {
            return Err(OrderError::Closing);
        }
        let place = Place(self.next);
        self.next += 1;
        let starts = self.mode == Mode::Steady;
        let child = Child {
            policy,
            standing: match starts {
                true => Standing::Starting,
                false => Standing::Waiting,
            },
            window: Window::default(),
            failures: 0,
            restarts: 0,
            alarm: None,
        };
        self.children.push(place, child);
        if starts {
            self.actions.push(Action::Start(place));
        }
        self.go_on(now);
        Ok(place)
    }

    /// Ends a child until it is restarted by hand; a temporary one for good.
    pub(crate) fn terminate(&mut self, place: Place, now: Moment) -> Result<(), OrderError> {
        match self.standing(place)? {
            Standing::Resting => {}
            Standing::Waiting | Standing::Delayed => self.put_to_rest(place),
            Standing::Starting | Standing::Up { .. } | Standing::Ending { .. } => {
                self.end(place, Then::Rest, now);
            }
        }
        self.go_on(now);
        Ok(())
    }

    /// Starts a child again, whether it runs or not.
    pub(crate) fn restart(&mut self, place: Place, now: Moment) -> Result<(), OrderError> {
        let standing = self.standing(place)?;
        let is_halted = self.is_halted(place);
        match standing {
            Standing::Starting | Standing::Up { .. } | Standing::Ending { .. } => {
                self.end(place, Then::Start, now);
            }
            Standing::Resting | Standing::Delayed if is_halted => self.wait_for_turn(place),
            Standing::Resting | Standing::Delayed => self.start(place),
            Standing::Waiting => {}
        }
        self.go_on(now);
        Ok(())
    }

    /// Forgets a child that was terminated.
    pub(crate) fn delete(&mut self, place: Place) -> Result<(), OrderError> {
        match self.standing(place)? {
            Standing::Resting => {
                self.remove(place);
                Ok(())
            }
            _ => Err(OrderError::Runs),
        }
    }

    fn standing(&self, place: Place) -> Result<Standing, OrderError> {
        if self.closing().is_some() {
            return Err(OrderError::Closing);
        }
        let child = self.children.get(place).ok_or(OrderError::Unknown)?;
        Ok(child.standing)
    }

    fn wait_for_turn(&mut self, place: Place) {
        self.set_alarm(place, None);
        self.child(place).standing = Standing::Waiting;
    }
}
