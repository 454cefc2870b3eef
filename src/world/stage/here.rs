//! What an actor of a world may know of it, and ask of it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::clock::{Bell, Due, TimerKey};
use super::fork_actor::ForkActor;
use super::part::{Bond, Part};
use super::place::Seat;
use super::shared::Shared;
use super::timers_full::TimersFull;
use super::within::Within;
use crate::actor::{Context, Handler, Identity, Name};
use crate::id::Id;
use crate::world::seed::{self, Stream};

/// Gives an actor the world that it lives in.
pub trait InWorld<A: ForkActor> {
    /// The world; none if the actor was not [spawned in](ForkActor::spawn_in) one, or it has ended.
    fn world(&self) -> Option<Here<'_, A>>;
}

impl<A: ForkActor> InWorld<A> for Context<A> {
    fn world(&self) -> Option<Here<'_, A>> {
        let (stage, part) = Seat::of(self.place()?)?;
        Some(Here {
            stage,
            part,
            _ctx: PhantomData,
        })
    }
}

/// The world that an actor lives in, from within.
///
/// ```
/// use std::time::Duration;
///
/// use greenroom::{Context, actor};
/// use greenroom::world::{ForkActor, InWorld, Stage, World};
///
/// #[actor]
/// #[derive(Clone)]
/// struct Fuse {
///     has_burnt: bool,
/// }
///
/// #[actor(fork, derive(Clone))] // what timers send is cloned
/// impl Fuse {
///     fn light(&mut self, ctx: &mut Context<Self>) -> Result<(), greenroom::Error> {
///         if let Some(world) = ctx.world() {
///             world.after(Duration::from_secs(60), FuseBurn)?;
///         }
///         Ok(())
///     }
///
///     fn burn(&mut self) {
///         self.has_burnt = true;
///     }
///
///     fn has_burnt(&self) -> bool {
///         self.has_burnt
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let stage = Stage::new(World::new());
/// let fuse = Fuse { has_burnt: false }.spawn_in(&stage);
/// fuse.light().await?;
/// let branch = stage.fork().await; // with half a minute to go, say
/// branch.advance(Duration::from_secs(60)).await;
/// assert!(fuse.within(&branch).has_burnt().await?);
/// assert!(!fuse.has_burnt().await?);
/// # Ok(()) }
/// ```
pub struct Here<'a, A> {
    stage: Arc<Shared>,
    part: Id,
    _ctx: PhantomData<&'a A>,
}

impl<A: ForkActor> Here<'_, A> {
    /// A handle to this actor in this world. In a state it is one to it in whichever world the
    /// state is in.
    #[must_use]
    pub fn me(&self) -> A::Handle<Within> {
        A::wrap::<Within>(Part::named(self.part, &self.stage, Bond::Loose))
    }

    /// Spawns another actor in this world.
    ///
    /// # Panics
    ///
    /// As [`ForkActor::spawn_in`].
    #[track_caller]
    pub fn spawn<B: ForkActor>(&self, actor: B) -> B::Handle<Within> {
        let part = Part::of(&self.stage);
        self.stage.spawn(part.id(), actor);
        B::wrap::<Within>(part)
    }

    /// Which world it is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.stage.id
    }

    /// What time it is in the world: how far it was [advanced](super::Stage::advance).
    #[must_use]
    pub fn now(&self) -> Duration {
        self.stage.now()
    }

    /// The numbers that decide `what`, in worlds of one seed.
    #[must_use]
    pub fn stream(&self, what: u64) -> Stream {
        Stream::of(seed::streams(self.stage.seed), what)
    }

    /// Sends the actor a message, after a delay of the world's time. The timer is part of the
    /// world: it forks, is committed and restored with it, and rings in each by itself.
    ///
    /// # Errors
    ///
    /// When [`WORLD_TIMERS_MAX`](crate::limits::WORLD_TIMERS_MAX) timers are set in this world.
    pub fn after<M>(&self, delay: Duration, message: M) -> Result<TimerKey, TimersFull<M>>
    where
        A: Handler<M>,
        M: Clone + Send + Sync + 'static,
    {
        self.set(Due::After(delay), message)
    }

    /// As [`after`](Self::after), at a time of the world. One that has passed is now.
    ///
    /// # Errors
    ///
    /// As of [`after`](Self::after).
    pub fn at<M>(&self, time: Duration, message: M) -> Result<TimerKey, TimersFull<M>>
    where
        A: Handler<M>,
        M: Clone + Send + Sync + 'static,
    {
        self.set(Due::At(time), message)
    }

    fn set<M>(&self, due: Due, message: M) -> Result<TimerKey, TimersFull<M>>
    where
        A: Handler<M>,
        M: Clone + Send + Sync + 'static,
    {
        let mut message = Some(message);
        let set = self.stage.set_timer(due, || {
            let message = message.take().expect("it is set once");
            Arc::new(Bell::<A, M>::new(self.part, message))
        });
        set.ok_or_else(|| {
            let actor = Identity::new(Name::Type(A::OPTIONS.name()), self.part);
            TimersFull::new(actor, message.expect("it was not set"))
        })
    }

    /// Takes a timer back, in this world; whether it had yet to ring.
    pub fn cancel(&self, timer: TimerKey) -> bool {
        self.stage.cancel_timer(timer)
    }
}

impl<A> fmt::Debug for Here<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Here")
            .field("world", &self.stage.id)
            .field("actor", &self.part)
            .finish()
    }
}
