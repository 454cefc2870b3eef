//! The handle of an actor that lives in worlds.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

use super::Stage;
use super::cell::state_of;
use super::fork_actor::ForkActor;
use super::place::Room;
use super::shared::Shared;
use super::within::Within;
use crate::actor::{Declared, Handler, Identity, Name, Request, Tell, TellError};
use crate::id::Id;
use crate::world::entry::Entry;

/// What a generated handle derefs to, of an actor that lives in worlds.
///
/// It names the actor in one world, and keeps neither running. In the code of an actor of a world
/// it names the one in that world, unless it was bound to another by [`within`](Self::within).
pub struct Part<A> {
    id: Id,
    world: Id,
    stage: Weak<Shared>,
    bond: Bond,
    _actor: PhantomData<fn() -> A>,
}

/// How firmly a handle is bound to its world.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bond {
    /// In the code of an actor of a world it is a handle of that one.
    Loose,
    /// It is of this world, wherever it is used.
    Firm,
    /// As `Firm`, and what is sent is not kept out.
    Inside,
}

impl<A> Part<A> {
    /// A new actor, in this world.
    pub(super) fn of(stage: &Arc<Shared>) -> Self {
        Self::named(Id::next(), stage, Bond::Loose)
    }

    pub(super) fn named(id: Id, stage: &Arc<Shared>, bond: Bond) -> Self {
        Self {
            id,
            world: stage.id,
            stage: Arc::downgrade(stage),
            bond,
            _actor: PhantomData,
        }
    }

    /// The actor's id: the same in all worlds, and no other actor's.
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// Where what is sent goes.
    pub(super) fn room(&self) -> Option<Room> {
        let here = Shared::here();
        match here {
            Some(here) if self.bond == Bond::Loose => Some(Room::inside(here)),
            here => {
                let stage = self.stage.upgrade()?;
                let is_inside = self.bond == Bond::Inside
                    || here.is_some_and(|here| Arc::ptr_eq(&here, &stage));
                Some(Room { stage, is_inside })
            }
        }
    }
}

impl<A: Declared> Part<A> {
    /// The same actor in another world: a fork of the one that it was spawned in, or one that was
    /// made of its state.
    #[must_use]
    pub fn within(&self, stage: &Stage) -> A::Handle<Within> {
        A::wrap::<Within>(Self::named(self.id, &stage.shared, Bond::Firm))
    }

    /// Name and id. Errors have the name, and the id of the actor in the world at hand.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity::new(Name::Type(A::OPTIONS.name()), self.id)
    }
}

impl<A: ForkActor> Part<A> {
    /// Where its state lies in a world, of which it is the last that was saved: for
    /// [`Quiet::world`](super::Quiet::world) and [`Snapshot`](crate::world::Snapshot).
    #[must_use]
    pub fn entry(&self) -> Entry<A> {
        state_of(self.id)
    }

    /// Asks by message value. Does nothing until it is awaited.
    pub fn ask<M: Send + 'static>(&self, message: M) -> Request<'_, A, M, Within>
    where
        A: Handler<M>,
    {
        Request::new(self, message)
    }

    /// Tells by message value: one way, waiting for a slot. Does nothing until it is awaited.
    pub fn tell<M: Send + 'static>(&self, message: M) -> Tell<'_, A, M, Within>
    where
        A: Handler<M>,
    {
        self.ask(message).tell()
    }

    /// Tells without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free, the world is being quiesced, or the actor takes no more; the message
    /// is handed back.
    pub fn try_tell<M: Send + 'static>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Handler<M>,
    {
        self.ask(message).try_tell()
    }
}

impl<A> Clone for Part<A> {
    fn clone(&self) -> Self {
        Self {
            stage: self.stage.clone(),
            ..*self
        }
    }
}

impl<A> PartialEq for Part<A> {
    /// Whether both are one actor in one world.
    fn eq(&self, other: &Self) -> bool {
        (self.id, self.world) == (other.id, other.world)
    }
}

impl<A> Eq for Part<A> {}

impl<A> Hash for Part<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.world).hash(state);
    }
}

impl<A> fmt::Debug for Part<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("id", &self.id)
            .field("world", &self.world)
            .finish_non_exhaustive()
    }
}
