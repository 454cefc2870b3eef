//! The witness that nothing is in flight in a world.

use std::fmt;
use std::time::Duration;

use super::Stage;
use super::closing::Closing;
use super::fork_actor::ForkActor;
use super::part::Part;
use crate::world::commit::Conflict;
use crate::world::grant::NotFunded;
use crate::world::lineage::Revision;
use crate::world::snapshot::Snapshot;
use crate::world::world::{Options, World};

/// A world in which nothing is in flight, and nothing begins as long as this lives: what
/// [`Stage::quiesce`] gives.
///
/// The states of the actors lie in the world now. What is written to it here, or comes by a
/// [`restore`](Self::restore) or a [`commit`](Self::commit), they go on with.
///
/// Forks, snapshots and commits take the same time however many actors and entries there are.
pub struct Quiet<'a> {
    closing: Closing<'a>,
}

impl<'a> Quiet<'a> {
    pub(super) fn new(closing: Closing<'a>) -> Self {
        Self { closing }
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        self.closing.world()
    }

    /// The world, to be written. If it is, its actors go on with what their
    /// [entries](Part::entry) are then.
    pub fn world_mut(&mut self) -> &mut World {
        self.closing.world_mut()
    }

    /// The state of an actor; none if it has ended, or is none that forks.
    #[must_use]
    pub fn state<A: ForkActor>(&self, part: &Part<A>) -> Option<&A> {
        self.world().get(part.entry())
    }

    /// A frozen fork, with all its actors, timers and the time.
    #[must_use]
    pub fn fork(&mut self) -> Stage {
        Stage::new(self.world_mut().fork())
    }

    /// The same with a seed or a grant.
    ///
    /// # Errors
    ///
    /// When this world cannot pay the grant: then there is no fork.
    pub fn fork_with(&mut self, options: Options) -> Result<Stage, NotFunded> {
        Ok(Stage::new(self.world_mut().fork_with(options)?))
    }

    /// What the world's state is.
    pub fn revision(&mut self) -> Revision {
        self.world_mut().revision()
    }

    /// The state as it is: actors, timers, time and all else.
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        self.world_mut().snapshot()
    }

    /// Gives the world the state of a snapshot, with which its actors go on.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.world_mut().restore(snapshot);
    }

    /// What time it is in the world.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.closing.shared.now()
    }

    /// Makes `parent`, which this world was forked from, equal to this one: states, timers and
    /// time. This world is gone then: what is sent to its actors is refused, and what is left of
    /// its grant goes back. Handles to actors of the parent go on.
    ///
    /// # Errors
    ///
    /// When the parent's state is another than the one that was forked, or it is another world:
    /// then nothing has changed. What `&self` methods of its actors did is no change.
    ///
    /// ```
    /// # use greenroom::actor;
    /// # use greenroom::world::{ForkActor, Stage, World};
    /// # #[actor]
    /// # #[derive(Clone)]
    /// # struct Account { balance: i64 }
    /// # #[actor(fork)]
    /// # impl Account {
    /// #     fn deposit(&mut self, amount: i64) -> i64 { self.balance += amount; self.balance }
    /// #     fn balance(&self) -> i64 { self.balance }
    /// # }
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), greenroom::Error> {
    /// let stage = Stage::new(World::new());
    /// let account = Account { balance: 100 }.spawn_in(&stage);
    /// let branch = stage.fork().await;
    /// account.within(&branch).deposit(50).await?;
    ///
    /// let (branch, mut parent) = (branch.quiesce().await, stage.quiesce().await);
    /// branch.commit(&mut parent)?;
    /// drop(parent);
    /// assert_eq!(account.balance().await?, 150);
    /// # Ok(()) }
    /// ```
    pub fn commit(self, parent: &mut Quiet<'_>) -> Result<(), Conflict> {
        let mut closing = self.closing;
        let conflict = closing.world_mut().conflict_with(parent.world_mut());
        if let Some(conflict) = conflict {
            return Err(conflict);
        }
        let committed = closing.end().commit(parent.world_mut());
        committed.map_err(|error| error.conflict())
    }
}

impl fmt::Debug for Quiet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quiet")
            .field("world", self.world())
            .finish_non_exhaustive()
    }
}
