//! Spawning: `actor.spawn()` with everything that may be said about it.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::cell::{Extras, Plan, create, undo};
use super::error::Owned;
use super::handle::Handle;
use super::identity::{Identity, Name};
use super::route::Local;
use super::strong::Strong;
use super::traits::Actor;
use super::undelivered::{self, Undelivered};
use crate::error::Error;
use crate::exec::Executor;
use crate::id::Id;
use crate::limits::MAILBOX_MAX;

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
    actor: A,
    name: Option<Arc<str>>,
    mailbox: Option<usize>,
    undelivered: Option<undelivered::Hook>,
    mailbox_bytes: Option<usize>,
    claim: Option<Claim<A>>,
}

/// Takes what the actor is to have from its first moment; a refusal is one of the spawn.
type Claim<A> =
    Box<dyn FnOnce(&Executor, &Identity) -> Result<Grant<A>, SpawnErrorKind> + Send + Sync>;

/// Gives it to the actor. Dropped, it is given up.
pub(crate) type Grant<A> = Box<dyn FnOnce(&Handle<A>) + Send>;

impl<A: Actor> Builder<A> {
    /// An actor to be spawned.
    pub fn new(actor: A) -> Self {
        Self {
            actor,
            name: None,
            mailbox: None,
            undelivered: None,
            mailbox_bytes: None,
            claim: None,
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
            undelivered: Some(Box::new(hook)),
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
    /// out of range, or when the name is taken. The actor is handed back.
    #[track_caller]
    pub fn try_spawn(self) -> Result<A::Handle<Local>, SpawnError<A>> {
        let spawned_at = Location::caller();
        let mut builder = Some(self);
        let spawned = Executor::with_current(|executor| {
            let builder = builder.take().expect("it is spawned once");
            builder.spawn_on(executor, spawned_at)
        });
        match (spawned, builder) {
            (Ok(spawned), _) => spawned,
            (Err(_), Some(builder)) => builder.refuse(SpawnErrorKind::NoRuntime),
            (Err(_), None) => unreachable!("there was no runtime to spawn it on"),
        }
    }

    fn refuse(self, kind: SpawnErrorKind) -> Result<A::Handle<Local>, SpawnError<A>> {
        Err(SpawnError::new(kind, self.actor))
    }

    fn spawn_on(
        self,
        executor: &Executor,
        spawned_at: &'static Location<'static>,
    ) -> Result<A::Handle<Local>, SpawnError<A>> {
        let capacity = self.mailbox.unwrap_or(A::OPTIONS.mailbox);
        if capacity == 0 || capacity > MAILBOX_MAX {
            return self.refuse(SpawnErrorKind::Mailbox(capacity));
        }
        let bytes = self.mailbox_bytes.or(A::OPTIONS.mailbox_bytes);
        if bytes == Some(0) {
            return self.refuse(SpawnErrorKind::MailboxBytes);
        }
        let name = self.name.map_or(Name::Type(A::OPTIONS.name), Name::Given);
        let id = Id::next();
        let claimed = self.claim.map(|claim| {
            let identity = Identity::new(name.clone(), id);
            claim(executor, &identity)
        });
        let grant = match claimed.transpose() {
            Ok(grant) => grant,
            Err(kind) => return Err(SpawnError::new(kind, self.actor)),
        };
        let plan = Plan {
            name,
            id,
            capacity,
            extras: self.undelivered.map(|hook| {
                Box::new(Extras {
                    undelivered: Some(hook),
                    ..Extras::default()
                })
            }),
            bytes,
            spawned_at,
        };
        let unit = create(self.actor, plan, executor);
        if executor.bind(&unit).is_err() {
            // SAFETY: `create::<A>` made it, and nothing else was done with it.
            let actor = unsafe { undo::<A>(unit) };
            return Err(SpawnError::new(SpawnErrorKind::RuntimeGone, actor));
        }
        let starting = A::STARTS.then(|| unit.clone());
        // SAFETY: `create` gave the unit.
        let handle = Handle::from_strong(unsafe { Strong::first(unit) });
        if let Some(grant) = grant {
            grant(&handle);
        }
        if let Some(unit) = starting {
            executor.schedule(unit);
        }
        Ok(A::wrap::<Local>(handle))
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

/// Why an actor was not spawned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnErrorKind {
    /// The call was made outside any tokio runtime.
    NoRuntime,
    /// The current runtime is ending.
    RuntimeGone,
    /// The mailbox can't have this many slots.
    Mailbox(usize),
    /// The mailbox has no room for a single byte.
    MailboxBytes,
    /// The name that it was to be registered under is taken.
    NameTaken {
        /// The name's owner.
        by: Identity,
    },
}

/// A number of slots that a mailbox can't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapacityError {
    slots: usize,
}

impl CapacityError {
    pub(super) fn new(slots: usize) -> Self {
        Self { slots }
    }

    /// The number.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.slots;
        write!(f, "a mailbox has 1 to {MAILBOX_MAX} slots, not {slots}")
    }
}

impl std::error::Error for CapacityError {}

impl From<CapacityError> for Error {
    fn from(error: CapacityError) -> Self {
        Self::new(error)
    }
}

/// An actor that was not spawned, and why. It is handed back.
pub struct SpawnError<A> {
    kind: SpawnErrorKind,
    actor: Owned<A>,
}

impl<A> SpawnError<A> {
    fn new(kind: SpawnErrorKind, actor: A) -> Self {
        Self {
            kind,
            actor: Owned::new(actor),
        }
    }

    /// Why.
    #[must_use]
    pub fn kind(&self) -> SpawnErrorKind {
        self.kind.clone()
    }

    /// The actor.
    #[must_use]
    pub fn into_actor(self) -> A {
        self.actor.into_inner()
    }
}

impl<A> fmt::Display for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SpawnErrorKind::NoRuntime => f.write_str(
                "there is no runtime here to spawn an actor on: call it from async code of \
                 `#[greenroom::main]` or `#[tokio::main]`, or enter a runtime first",
            ),
            SpawnErrorKind::RuntimeGone => f.write_str("the runtime is ending and takes no actor"),
            SpawnErrorKind::Mailbox(slots) => CapacityError::new(*slots).fmt(f),
            SpawnErrorKind::MailboxBytes => {
                f.write_str("a mailbox needs room for at least one byte")
            }
            SpawnErrorKind::NameTaken { by } => write!(f, "its name is taken by {by}"),
        }
    }
}

impl<A> fmt::Debug for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpawnError").field(&self.kind).finish()
    }
}

impl<A> std::error::Error for SpawnError<A> {}

impl<A: Send + 'static> From<SpawnError<A>> for Error {
    fn from(error: SpawnError<A>) -> Self {
        Self::new(error)
    }
}

/// What the generated `spawn` calls.
#[track_caller]
pub fn spawn<A: Actor>(actor: A) -> A::Handle<Local> {
    Builder::new(actor).spawn()
}
