//! What a supervisor has for children, as others see it.

use std::fmt;
use std::time::Duration;

use super::desk::{Desk, Member};
use super::roster::{Place, Standing};
use super::supervisor::Supervisor;
use crate::actor::{ExitReason, Handle, Identity};

/// What has become of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildState {
    /// It is down until others have ended or started.
    Waiting,
    /// It is down for so much longer: its [`Backoff`](crate::Backoff).
    Delayed(Duration),
    /// It is starting.
    Starting,
    /// It has been up for so long.
    Up(Duration),
    /// It is ending, to be started again or for good.
    Ending,
    /// It was terminated.
    Terminated,
}

impl fmt::Display for ChildState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting => f.write_str("waiting"),
            Self::Delayed(wait) => write!(f, "to be started in {wait:.1?}"),
            Self::Starting => f.write_str("starting"),
            Self::Up(time) => write!(f, "up for {time:.1?}"),
            Self::Ending => f.write_str("ending"),
            Self::Terminated => f.write_str("terminated"),
        }
    }
}

/// A child of a supervisor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChildInfo {
    /// The name that it was given, or that of its actor's type.
    pub name: String,
    /// Its actor, if there is one.
    pub actor: Option<Identity>,
    /// What has become of it.
    pub state: ChildState,
    /// How often it was restarted, counted as that is decided: one that another failure overtakes
    /// before anything is built counts, too.
    pub restarts: u64,
    /// Why it failed last.
    pub last_failure: Option<ExitReason>,
}

impl fmt::Display for ChildInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.actor {
            Some(actor) => write!(f, "{actor}: {}", self.state)?,
            None => write!(f, "{}: {}", self.name, self.state)?,
        }
        if self.restarts > 0 {
            write!(f, ", restarts: {}", self.restarts)?;
        }
        match &self.last_failure {
            Some(reason) => write!(f, ", last failure: {reason}"),
            None => Ok(()),
        }
    }
}

/// A supervisor, its children, and theirs, at about one time. Displayed as an indented list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tree {
    /// Its root.
    pub root: ChildInfo,
    /// Its children, in the order of their starts.
    pub children: Vec<Tree>,
}

impl Tree {
    /// How many there are, with the root.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        if depth > 0 {
            writeln!(f)?;
        }
        write!(f, "{:1$}{2}", "", 2 * depth, self.root)?;
        self.children
            .iter()
            .try_for_each(|child| child.write(f, depth + 1))
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// A child, and where its own children are asked for.
pub(super) struct Twig {
    pub(super) info: ChildInfo,
    pub(super) supervisor: Option<Handle<Supervisor>>,
}

/// A supervisor's children.
pub struct Listing {
    /// How long it has been up.
    pub(super) up: Duration,
    pub(super) twigs: Vec<Twig>,
}

impl Desk {
    /// All children, in order.
    pub(super) fn list(&self) -> Listing {
        let members = self.members.iter();
        Listing {
            up: self.now(),
            twigs: members
                .map(|(place, member)| self.twig(place, member))
                .collect(),
        }
    }

    pub(super) fn twig(&self, place: Place, member: &Member) -> Twig {
        let (standing, restarts) = self.roster.look(place).unwrap_or((Standing::Waiting, 0));
        let now = self.now();
        let state = match standing {
            Standing::Waiting => ChildState::Waiting,
            Standing::Delayed => {
                let due = self.roster.due(place).unwrap_or(now);
                ChildState::Delayed(due.saturating_sub(now))
            }
            Standing::Starting => ChildState::Starting,
            Standing::Up { since } => ChildState::Up(now.saturating_sub(since)),
            Standing::Ending { .. } => ChildState::Ending,
            Standing::Resting => ChildState::Terminated,
        };
        let ward = member.cell.as_ref().map(|cell| &cell.ward);
        let actor = ward.map(|ward| ward.identity());
        let name = member.spec.name().map(|name| name.to_string());
        let info = ChildInfo {
            name: name.unwrap_or_else(|| member.spec.type_name().to_owned()),
            actor,
            state,
            restarts,
            last_failure: member.last_failure.clone(),
        };
        Twig {
            info,
            supervisor: ward.and_then(|ward| ward.supervisor()),
        }
    }
}
