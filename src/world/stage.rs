//! A world with actors in it.

mod ask;
mod busy;
mod carried;
mod cell;
mod clock;
mod closing;
mod fork_actor;
mod here;
mod members;
mod part;
mod place;
mod quiet;
mod shared;
mod timers_full;
mod within;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use closing::Closing;
use shared::Shared;

pub use busy::Busy;
pub use clock::TimerKey;
pub use fork_actor::{ForkActor, Grade};
pub use here::{Here, InWorld};
pub use part::Part;
pub use quiet::Quiet;
pub use timers_full::TimersFull;
pub use within::Within;

use super::world::World;
use crate::id::Id;

/// A world that actors live in, on the executor.
///
/// An actor that says `#[actor(fork)]` is [spawned in](ForkActor::spawn_in) a world, and its state
/// is part of it. Its one handle reaches it in any fork, by [`Part::within`]; in each it is asked
/// and told as ever, and handles one message at a time.
///
/// What forks is the states. Messages, replies and handlers that are at an await do not: so a world
/// is forked when nothing is in flight in it, by the [`Quiet`] that [`quiesce`](Self::quiesce)
/// gives. Forking then costs the same however many actors there are: one is made in the fork when
/// the first message comes for it.
///
/// ```
/// use greenroom::actor;
/// use greenroom::world::{ForkActor, Stage, World};
///
/// #[actor]
/// #[derive(Clone)]
/// struct Account {
///     balance: i64,
/// }
///
/// #[actor(fork)]
/// impl Account {
///     fn deposit(&mut self, amount: i64) -> i64 {
///         self.balance += amount;
///         self.balance
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let stage = Stage::new(World::new());
/// let account = Account { balance: 100 }.spawn_in(&stage);
/// let branch = stage.fork().await;
/// assert_eq!(account.within(&branch).deposit(50).await?, 150);
/// assert_eq!(account.deposit(1).await?, 101); // where it was spawned nothing has changed
/// # Ok(()) }
/// ```
///
/// Dropping a stage discards its world: its actors are killed, without their stop hooks, and what
/// is sent to them afterwards is refused.
pub struct Stage {
    shared: Arc<Shared>,
}

impl Stage {
    /// Lets actors into a world: those that lie in its state, as they were there, and new ones.
    ///
    /// They run on the current runtime, or, if there is none, on that of who sends to them first.
    #[must_use]
    pub fn new(world: World) -> Self {
        let shared = Shared::new(world);
        Self { shared }
    }

    /// Which world it is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.shared.id
    }

    /// Has nothing more begin in the world, and waits until nothing is in flight.
    ///
    /// Until what this gives is dropped, who sends from outside waits as at a full mailbox; what
    /// actors of this world send each other meanwhile is let through, and waited for. What reaches
    /// an actor otherwise than by such a handle is not, and what that changes is saved when the
    /// next message has come by one: timers of the runtime, streams, tasks, and
    /// [`Context::handle`](crate::Context::handle).
    ///
    /// It does not return while a handler waits for somebody outside who waits to send here, nor
    /// while there is another `Quiet` of the world: one that a statement makes lives to its end.
    ///
    /// Cancel safety: dropped, it has changed nothing, and the world goes on.
    pub async fn quiesce(&self) -> Quiet<'_> {
        let mut closing = Closing::begin(&self.shared).await;
        loop {
            closing.settle().await;
            if closing.save().await {
                return Quiet::new(closing);
            }
        }
    }

    /// Waits until nothing is in flight in the world, and forks it: [`quiesce`](Self::quiesce),
    /// then [`Quiet::fork`]. For several forks of one moment, keep the [`Quiet`].
    ///
    /// Cancel safety: as `quiesce`.
    pub async fn fork(&self) -> Stage {
        self.quiesce().await.fork()
    }

    /// Forks the world, unless something is in flight in it. It waits for no handler.
    ///
    /// # Errors
    ///
    /// Says who is busy.
    pub async fn try_fork(&self) -> Result<Stage, Busy> {
        let mut closing = Closing::try_begin(&self.shared)?;
        match closing.save().await {
            true => Ok(Quiet::new(closing).fork()),
            false => Err(self.shared.busy()),
        }
    }

    /// What time it is in the world: how far it was [advanced](Self::advance).
    #[must_use]
    pub fn now(&self) -> Duration {
        self.shared.now()
    }

    /// Moves the world's clock, and has the timers that come due handled: one after the other, in
    /// the order of their times, each with all that it sets off before the next. Meanwhile who
    /// sends from outside waits.
    ///
    /// The clock stands still otherwise, so no work in the world, however long it takes, is
    /// overtaken by a timer. It comes to its end when no timer is due any more: those that set
    /// another for the same time, each time, keep it from that.
    ///
    /// Cancel safety: dropped, it has come as far as it has.
    pub async fn advance(&self, by: Duration) {
        let closing = Closing::begin(&self.shared).await;
        let until = self.shared.now().saturating_add(by);
        loop {
            closing.settle().await;
            let Some(timer) = self.shared.next_due(until) else {
                return;
            };
            timer.ring(&self.shared).await;
        }
    }

    /// How many actors there are that have run here: the others are states.
    #[must_use]
    pub fn running(&self) -> usize {
        self.shared.running()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage")
            .field("id", &self.id())
            .field("running", &self.running())
            .finish_non_exhaustive()
    }
}
