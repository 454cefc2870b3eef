//! Why a fork could not be committed.

use std::fmt;

use super::lineage::Revision;
use super::world::World;
use crate::error::Error;

/// The parent is not as it was when the world was forked: the error of [`World::commit`].
///
/// Both worlds are as they were.
pub struct CommitError {
    world: Box<World>,
    conflict: Conflict,
}

/// Between which revisions a commit failed: the error of [`Quiet::commit`](super::Quiet::commit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// Whether the world was forked from the one that it was to be committed to.
    pub is_child: bool,
    /// The revision that the world was forked from; none if it is no fork.
    pub forked_from: Option<Revision>,
    /// The revision of the world that it was to be committed to.
    pub parent: Revision,
}

impl CommitError {
    pub(super) fn new(world: World, conflict: Conflict) -> Self {
        let world = Box::new(world);
        Self { world, conflict }
    }

    /// What was in the way.
    #[must_use]
    pub fn conflict(&self) -> Conflict {
        self.conflict
    }

    /// The fork, handed back.
    #[must_use]
    pub fn into_world(self) -> World {
        *self.world
    }
}

impl fmt::Debug for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.conflict, f)
    }
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.conflict, f)
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Conflict {
            is_child,
            forked_from,
            parent,
        } = *self;
        match forked_from {
            Some(revision) if is_child => write!(
                f,
                "the world was forked from revision {revision}, and its parent is at {parent}"
            ),
            _ => f.write_str("the world was not forked from the one it was to be committed to"),
        }
    }
}

impl std::error::Error for CommitError {}

impl std::error::Error for Conflict {}

impl From<Conflict> for Error {
    fn from(error: Conflict) -> Self {
        Self::new(error)
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        Self::new(error)
    }
}
