//! A child without its type: how its cell is made, and what is done with that.

use std::any::Any;
use std::sync::Arc;

use super::child::{Child, Recipe};
use super::error::ChildError;
use super::link::Link;
use super::roster::Policy;
use super::supervisor::Supervisor;
use crate::actor::{Actor, Builder, Handle, Identity, Local, Signal, SpawnErrorKind};

/// How the cells of a child are made, and what its supervisor was told about it.
pub(crate) trait Spec: Send + Sync {
    fn name(&self) -> Option<&Arc<str>>;

    fn policy(&self) -> Policy;

    /// What would keep a cell from being made anywhere.
    fn check(&self) -> Result<(), ChildError>;

    /// What its actor is called if it has no name.
    fn type_name(&self) -> &'static str;

    /// Makes a cell, which waits to be started.
    fn make(&self) -> Result<Cell, SpawnErrorKind>;
}

/// A cell of a child, and its link.
pub(crate) struct Cell {
    pub(crate) link: Arc<Link>,
    pub(crate) ward: Box<dyn Ward>,
}

impl Cell {
    /// Has its next incarnation begin.
    pub(crate) fn start(&self) {
        self.link.begin();
        self.ward.signal(Signal::Restart);
    }
}

impl Drop for Cell {
    /// A cell ends with whoever can start it.
    fn drop(&mut self) {
        self.link.detach();
        self.ward.dismiss();
    }
}

/// A cell, as far as its supervisor is concerned. It keeps the actor running, as a handle does.
pub(crate) trait Ward: Any + Send + Sync {
    fn identity(&self) -> Identity;
    fn stop(&self);
    fn signal(&self, signal: Signal);
    /// Ends it for good, at once.
    fn dismiss(&self);
}

impl dyn Ward {
    /// The handle of an `A` that it is.
    pub(crate) fn handle<A: 'static>(&self) -> Result<Handle<A>, ChildError> {
        let this: &dyn Any = self;
        let handle = this.downcast_ref::<Handle<A>>();
        handle.cloned().ok_or(ChildError::OtherType)
    }

    /// The supervisor that it may be.
    pub(crate) fn supervisor(&self) -> Option<Handle<Supervisor>> {
        self.handle().ok()
    }
}

impl<A: 'static> Ward for Handle<A> {
    fn identity(&self) -> Identity {
        Self::identity(self)
    }

    fn stop(&self) {
        Self::stop(self);
    }

    fn signal(&self, signal: Signal) {
        Self::signal(self, signal);
    }

    fn dismiss(&self) {
        Self::dismiss(self);
    }
}

impl<A: Actor> Recipe<A> {
    /// Makes a cell and its first handle.
    pub(crate) fn cook(&self) -> Result<(A::Handle<Local>, Cell), SpawnErrorKind> {
        let link = Arc::new(Link::new(self.policy.restart, self.linked.is_some()));
        let mut builder = Builder::from_factory(self.factory.clone()).overseer(link.clone());
        if let Some(name) = &self.name {
            builder = builder.name(Arc::clone(name));
        }
        if let Some(slots) = self.mailbox {
            builder = builder.mailbox(slots);
        }
        if let Some(bytes) = self.mailbox_bytes {
            builder = builder.mailbox_bytes(bytes);
        }
        if let Some(hook) = self.undelivered.clone() {
            builder = builder.on_undelivered(move |letter| hook(letter));
        }
        #[cfg(feature = "world")]
        if let Some(place) = self.place.clone() {
            builder = builder.within(place, false);
        }
        if self.is_blocking {
            builder = builder.blocking();
        }
        if let Some(dress) = &self.dress {
            builder = dress(builder);
        }
        let handle = builder.launch_waiting()?;
        let raw: &Handle<A> = &handle;
        if let Some(linked) = &self.linked {
            linked(&link, raw.head());
        }
        let ward = Box::new(raw.clone());
        Ok((handle, Cell { link, ward }))
    }
}

impl<A: Actor> Spec for Recipe<A> {
    fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    fn policy(&self) -> Policy {
        self.policy
    }

    fn check(&self) -> Result<(), ChildError> {
        self.check.clone()?;
        let sizes = Builder::<A>::sizes(self.mailbox, self.mailbox_bytes);
        sizes.map(drop).map_err(ChildError::Spawn)
    }

    fn type_name(&self) -> &'static str {
        A::OPTIONS.name()
    }

    fn make(&self) -> Result<Cell, SpawnErrorKind> {
        self.cook().map(|(_, cell)| cell)
    }
}

/// Something that a supervisor can be given as a child.
pub trait Supervised: super::child::Sealed {
    /// The actor.
    type Actor: Actor;

    /// Its parts.
    #[doc(hidden)]
    fn into_parts(self) -> Parts;
}

/// A child that is handed to a supervisor, perhaps with a cell that others know already.
pub struct Parts {
    pub(crate) spec: Arc<dyn Spec>,
    pub(crate) cell: Option<Cell>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl<A: Actor> Supervised for Child<A> {
    type Actor = A;

    fn into_parts(self) -> Parts {
        Parts {
            spec: Arc::new(self.recipe),
            cell: None,
        }
    }
}
