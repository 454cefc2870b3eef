//! Actors that live in worlds.

use super::Stage;
use super::part::Part;
use super::within::Within;
use crate::actor::Actor;

/// An actor that lives in worlds, and forks with them: what `#[actor(fork)]` on its main impl block
/// makes of one that is `Clone` and `Sync`.
///
/// Its state lies in the world as of the last time that it was [quiesced](Stage::quiesce); then
/// what has changed since is cloned, once per actor. A method with `&self` is taken to have changed
/// nothing: what it changes behind a lock is not seen by forks.
///
/// In the code of an actor of a world, a handle means the actor in that same world, unless it was
/// bound to another by [`Part::within`]: so handles may lie in states, and fork.
///
/// ```
/// # use greenroom::actor;
/// # use greenroom::world::{ForkActor, Stage, Within, World};
/// #[actor]
/// #[derive(Clone)]
/// struct Shop {
///     till: TillHandle<Within>,
/// }
///
/// #[actor(fork)]
/// impl Shop {
///     async fn sell(&mut self, price: u64) -> Result<u64, greenroom::Error> {
///         Ok(self.till.put(price).await?) // the till of this world
///     }
/// }
///
/// #[actor]
/// #[derive(Clone)]
/// struct Till(u64);
///
/// #[actor(fork)]
/// impl Till {
///     fn put(&mut self, amount: u64) -> u64 {
///         self.0 += amount;
///         self.0
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let stage = Stage::new(World::new());
/// let till = Till(0).spawn_in(&stage);
/// let shop = Shop { till: till.clone() }.spawn_in(&stage);
/// let branch = stage.fork().await;
/// assert_eq!(shop.within(&branch).sell(5).await?, 5);
/// assert_eq!(till.put(0).await?, 0);
/// # Ok(()) }
/// ```
///
/// An actor that can't be cloned does not fork:
///
/// ```compile_fail,E0277
/// # use greenroom::actor;
/// #[actor]
/// struct Account(std::sync::Mutex<u64>);
///
/// #[actor(fork)]
/// impl Account {}
/// # fn main() {}
/// ```
///
/// In a fork an actor goes on: its start hook does not run there. A panic ends it in its world, as
/// elsewhere, and forks that are taken later are without it. If its `#[on(panic)]` hook says
/// [`OnPanic::restart`](crate::OnPanic::restart), it is resumed from its last savepoint: the state
/// as of the last quiescence, or as it was spawned.
pub trait ForkActor: Actor + Clone + Sync {
    /// What a fork has of it.
    const GRADE: Grade = Grade::Forked;

    /// Spawns it in a world.
    ///
    /// # Panics
    ///
    /// As [`Builder::spawn`](crate::Builder::spawn).
    #[track_caller]
    fn spawn_in(self, stage: &Stage) -> Self::Handle<Within> {
        let part = Part::of(&stage.shared);
        stage.shared.spawn(part.id(), self);
        Self::wrap::<Within>(part)
    }
}

/// What a fork has of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// One of its own, with the state of this one: `#[actor(fork)]`.
    Forked,
    /// The very same, as long as the world lives that it was spawned in: `#[actor(fork = shared)]`.
    /// For what no fork can have twice, and may use: a log, a cache of what does not change.
    Shared,
    /// None: what is sent to it there is refused, as
    /// [`Refusal::NotHere`](crate::Refusal::NotHere). `#[actor(fork = refuse)]`, for what must not
    /// happen in a fork: a socket, an order.
    Refuse,
}
