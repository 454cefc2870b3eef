//! Spawning: `actor.spawn()` with everything that may be said about it.

mod local;
mod place;
#[cfg(feature = "world")]
mod within;

use std::fmt;
use std::sync::Arc;

use super::exit::{Crash, ExitReason};
use super::handle::Handle;
use super::identity::Identity;
use super::life::{Factory, Overseer};
use super::local_actor::LocalActor;
use super::panics::{OnPanic, Policy};
#[cfg(feature = "world")]
use super::place::Place;
use super::route::Local;
use super::running::Stage;
use super::spawn_error::{SpawnError, SpawnErrorKind};
use super::traits::Actor;
use super::undelivered::{self, Undelivered};
use crate::exec::Executor;

/// Spawns an actor with what its type does not say.
///
/// ```
/// # use greenroom::{actor, Builder, Handle};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn get(&self) -> u64 { self.count } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let counter = Builder::new(Counter { count: 7 }).name("visits").mailbox(1024).spawn();
/// assert_eq!(Handle::name(&counter), "visits");
/// assert_eq!(counter.get().await?, 7);
/// # Ok(()) }
/// ```
#[must_use = "nothing is spawned before `.spawn()` or `.try_spawn()`"]
pub struct Builder<A> {
    /// None if it is to be built.
    actor: Option<A>,
    rebuild: Option<Factory<A>>,
    name: Option<Arc<str>>,
    mailbox: Option<usize>,
    undelivered: Option<undelivered::Hook>,
    mailbox_bytes: Option<usize>,
    is_blocking: bool,
    overseer: Option<Arc<dyn Overseer>>,
    policy: Option<Policy>,
    claim: Option<Claim<A>>,
    #[cfg(feature = "world")]
    place: Option<Place>,
    /// It has started elsewhere: its state is one that goes on.
    goes_on: bool,
}

/// Takes what the actor is to have from its first moment; a refusal is one of the spawn.
type Claim<A> =
    Box<dyn FnOnce(&Executor, &Identity) -> Result<Grant<A>, SpawnErrorKind> + Send + Sync>;

/// Gives it to the actor. Dropped, it is given up.
pub(crate) type Grant<A> = Box<dyn FnOnce(&Handle<A>) + Send>;

impl<A: Actor> Builder<A> {
    /// An actor to be spawned.
    pub fn new(actor: A) -> Self {
        Self::of(Some(actor))
    }

    /// An actor that can be restarted: `factory` makes its state, now and for each restart.
    ///
    /// ```
    /// # use greenroom::{actor, Builder, Handle};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let counter = Builder::restartable(|| Counter { count: 7 }).spawn();
    /// counter.add(1).await?;
    /// Handle::restart(&counter)?;
    /// assert_eq!(counter.add(1).await?, 8);
    /// # Ok(()) }
    /// ```
    pub fn restartable<F>(factory: F) -> Self
    where
        F: Fn() -> A + Send + Sync + 'static,
    {
        let actor = factory();
        let again = move || std::future::ready(Ok(factory()));
        Self {
            rebuild: Some(Factory::new(again)),
            ..Self::new(actor)
        }
    }

    /// An actor that is built on its worker, and may be built again: see [`Builder::launch`].
    pub(crate) fn from_factory(factory: Factory<A>) -> Self {
        Self {
            rebuild: Some(factory),
            ..Self::of(None)
        }
    }

    fn of(actor: Option<A>) -> Self {
        Self {
            actor,
            rebuild: None,
            name: None,
            mailbox: None,
            undelivered: None,
            mailbox_bytes: None,
            is_blocking: false,
            overseer: None,
            policy: None,
            claim: None,
            #[cfg(feature = "world")]
            place: None,
            goes_on: false,
        }
    }

    /// Says what becomes of the actor when a handler or its start hook has panicked, instead of its
    /// type's `#[on(panic)]`. It runs on the actor's thread; a panic in it is [`OnPanic::stop`].
    ///
    /// ```
    /// # use greenroom::{actor, Builder, Handle, OnPanic};
    /// # #[actor] struct Parser;
    /// # #[actor] impl Parser { fn parse(&mut self, s: String) -> u32 { s.parse().unwrap() } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let parser = Builder::restartable(|| Parser).on_panic(|_| OnPanic::restart()).spawn();
    /// assert!(parser.parse("seven".into()).await.is_err());
    /// assert_eq!(parser.parse("7".into()).await?, 7);
    /// assert_eq!(Handle::incarnation(&parser), 2);
    /// # Ok(()) }
    /// ```
    pub fn on_panic<F>(self, policy: F) -> Self
    where
        F: Fn(&Crash) -> OnPanic<A> + Send + Sync + 'static,
    {
        Self {
            policy: Some(Box::new(move |crash| policy(crash).choice())),
            ..self
        }
    }

    /// Who is asked when an incarnation ends, and told when one starts.
    pub(crate) fn overseer(self, overseer: Arc<dyn Overseer>) -> Self {
        Self {
            overseer: Some(overseer),
            ..self
        }
    }

    /// Its name in errors and spans, instead of its type's.
    pub fn name(self, name: impl Into<Arc<str>>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    /// The slots of its mailbox, instead of its type's: 1 to
    /// [`MAILBOX_MAX`](crate::limits::MAILBOX_MAX). Memory is taken as messages come.
    pub fn mailbox(self, slots: usize) -> Self {
        Self {
            mailbox: Some(slots),
            ..self
        }
    }

    /// Takes its messages that were accepted, not handled, and had no asker to be handed back to,
    /// instead of its type's `#[on(undelivered)]`.
    ///
    /// It runs on the thread that found the message: a worker, or a sender whose message made
    /// another one go. A panic in it is reported as a `tracing` event. It is kept until the last
    /// handle of any kind has gone.
    ///
    /// ```
    /// # use greenroom::{actor, Builder};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let (lost, letters) = std::sync::mpsc::channel();
    /// let counter = Builder::new(Counter { count: 0 })
    ///     .on_undelivered(move |letter| drop(lost.send(letter)))
    ///     .spawn();
    /// counter.add(7).tell().await?;
    /// counter.kill();
    /// counter.join().await;
    /// for letter in letters.try_iter() {
    ///     println!("{letter}");
    /// }
    /// # Ok(()) }
    /// ```
    pub fn on_undelivered<F>(self, hook: F) -> Self
    where
        F: Fn(Undelivered) + Send + Sync + 'static,
    {
        Self {
            undelivered: Some(Arc::new(hook)),
            ..self
        }
    }

    /// How many bytes the messages in its mailbox may count together, instead of its type's: at
    /// least 1. A message counts what its `#[message(bytes = ..)]` says, or nothing.
    pub fn mailbox_bytes(self, bytes: usize) -> Self {
        Self {
            mailbox_bytes: Some(bytes),
            ..self
        }
    }

    /// Has `claim` called before there is an actor, and what it grants as there is one, before any
    /// code of it runs. The actor is called `name`, unless it has a name.
    pub(crate) fn claim<F>(self, name: Arc<str>, claim: F) -> Self
    where
        F: FnOnce(&Executor, &Identity) -> Result<Grant<A>, SpawnErrorKind> + Send + Sync + 'static,
    {
        Self {
            name: self.name.or(Some(name)),
            claim: Some(Box::new(claim)),
            ..self
        }
    }

    /// Gives the actor a thread of its own, so that its handlers and hooks may block.
    ///
    /// It is an actor as any other, but for this: all of it runs on that thread, which is named
    /// after the actor and ends with it. Asks of it are never handled inline. A kill takes effect
    /// when what blocks has returned, or at an await; so does the end of its runtime, which waits
    /// for that unless it is a current-thread one. A paused clock does not wait for it.
    ///
    /// There are [`OWN_THREADS_MAX`](crate::limits::OWN_THREADS_MAX) at most per runtime.
    ///
    /// ```
    /// # use greenroom::{actor, Builder};
    /// #[actor]
    /// struct Files;
    ///
    /// #[actor]
    /// impl Files {
    ///     fn size(&mut self, path: String) -> std::io::Result<u64> {
    ///         Ok(std::fs::metadata(path)?.len()) // blocks, and keeps no other actor waiting
    ///     }
    /// }
    ///
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let files = Builder::new(Files).blocking().spawn();
    /// assert!(files.size("Cargo.toml".into()).await? > 0);
    /// # Ok(()) }
    /// ```
    pub fn blocking(self) -> Self {
        Self {
            is_blocking: true,
            ..self
        }
    }

    /// Spawns it on the current tokio runtime. The first spawn inside a runtime attaches the
    /// executor to it.
    ///
    /// # Panics
    ///
    /// When [`Builder::try_spawn`] gives an error.
    #[must_use = "dropping the last handle ends the actor"]
    #[track_caller]
    pub fn spawn(self) -> A::Handle<Local> {
        match self.try_spawn() {
            Ok(handle) => handle,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns it on the current tokio runtime, if that can be done.
    ///
    /// ```
    /// # use greenroom::{Builder, SpawnErrorKind, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn get(&self) -> u64 { self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let slots = 0; // say, from a configuration
    /// match Builder::new(Counter { count: 7 }).mailbox(slots).try_spawn() {
    ///     Ok(counter) => println!("{counter:?} runs"),
    ///     Err(error) if error.kind() == SpawnErrorKind::Mailbox(slots) => {
    ///         let counter = error.into_actor().spawn(); // with the slots of its type
    ///         assert_eq!(counter.get().await?, 7);
    ///     }
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no current runtime, when it is ending, when the mailbox's slots or bytes are
    /// out of range, when the name is taken, or when the runtime's
    /// [policy](crate::set_resource_policy) refuses it. The actor is handed back, if it was there.
    ///
    /// # Panics
    ///
    /// Of the builder that [`Vacancy::open_with`](crate::Vacancy::open_with) lends: it has none.
    #[track_caller]
    pub fn try_spawn(self) -> Result<A::Handle<Local>, SpawnError<A>> {
        let is_made = self.actor.is_some() || self.rebuild.is_some();
        assert!(is_made, "the builder of a vacancy spawns nothing");
        self.place(Stage::Vacant)
            .map_err(|(kind, actor)| SpawnError::new(kind, actor))
    }

    /// As [`Builder::try_spawn`], of an actor that is built. That the factory fails is told by the
    /// actor's end.
    #[track_caller]
    pub(crate) fn launch(self) -> Result<A::Handle<Local>, SpawnErrorKind> {
        self.place(Stage::Vacant).map_err(|(kind, _)| kind)
    }

    /// As [`Builder::launch`], of an actor that waits for `Signal::Restart` before it begins.
    #[track_caller]
    pub(crate) fn launch_waiting(self) -> Result<A::Handle<Local>, SpawnErrorKind> {
        let stage = Stage::Waiting(ExitReason::Stopped);
        self.place(stage).map_err(|(kind, _)| kind)
    }

    /// What options are said of, of an actor that is not there yet.
    pub(super) fn vacant() -> Self {
        Self::of(None)
    }

    /// As [`Builder::launch`], of an actor that `factory` makes, in this stage.
    #[track_caller]
    pub(super) fn launch_vacant(
        self,
        factory: Factory<A>,
        stage: Stage,
    ) -> Result<A::Handle<Local>, SpawnErrorKind> {
        let builder = Self {
            actor: None,
            rebuild: Some(factory),
            ..self
        };
        builder.place(stage).map_err(|(kind, _)| kind)
    }
}

impl<A> fmt::Debug for Builder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("mailbox", &self.mailbox)
            .field("mailbox_bytes", &self.mailbox_bytes)
            .finish_non_exhaustive()
    }
}

/// What the generated `spawn` calls.
#[track_caller]
pub fn spawn<A: Actor>(actor: A) -> A::Handle<Local> {
    Builder::new(actor).spawn()
}

/// What the generated `spawn` of a local actor calls.
#[track_caller]
pub fn spawn_local<T: LocalActor, F>(factory: F) -> T::Handle<Local>
where
    F: FnOnce() -> T + Send + 'static,
{
    Builder::local(factory).spawn()
}
