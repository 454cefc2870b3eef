//! A state that nobody writes any more.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::entry::{Entry, Value};
use super::lineage::Revision;
use super::state::State;
use super::world::World;

/// The state of a world at some moment: [`World::snapshot`](super::World::snapshot).
///
/// Cheap to clone and to send. It has no seed and no budget: these are a world's.
#[derive(Clone)]
pub struct Snapshot {
    // Frozen or large, never flat: a fork of it leaves it as it is.
    state: Arc<State>,
    revision: Revision,
}

impl Snapshot {
    pub(super) fn new(state: State, revision: Revision) -> Self {
        let state = Arc::new(state);
        Self { state, revision }
    }

    /// The value that an entry had.
    #[must_use]
    pub fn get<T: Value>(&self, entry: Entry<T>) -> Option<&T> {
        let value: &dyn Any = self.state.get(entry.slot())?;
        value.downcast_ref()
    }

    /// What the state was.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// A new world, with this state and this seed.
    #[must_use]
    pub fn open(&self, seed: u64) -> World {
        let mut world = World::seeded(seed);
        world.restore(self);
        world
    }

    pub(super) fn state(&self) -> State {
        self.state.share()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("revision", &self.revision)
            .field("entries", &self.state.len())
            .finish()
    }
}
