//! What a handler knows of its actor.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::cell::{Cause, Head, close};
use super::handle::Handle;
use super::identity::Identity;
use super::route::Local;
use super::strong::Strong;
use super::traits::Declared;
use crate::id::Id;

/// The part of a context that needs no type: the way to the cell that it lies in.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct ContextCell(NonNull<Head>);

impl ContextCell {
    pub(super) fn new(head: NonNull<Head>) -> Self {
        Self(head)
    }
}

/// What a handler or hook knows of its actor, and may ask of it.
///
/// ```
/// # use greenroom::{actor, Context};
/// #[actor]
/// struct Countdown { left: u32 }
///
/// #[actor]
/// impl Countdown {
///     fn tick(&mut self, ctx: &mut Context<Self>) {
///         self.left -= 1;
///         if self.left == 0 {
///             ctx.stop();
///         }
///     }
/// }
/// ```
#[repr(transparent)]
pub struct Context<A> {
    cell: ContextCell,
    _actor: PhantomData<fn() -> A>,
}

// SAFETY: the run-right holder of the cell lends a context to a handler, whose future may move
// between threads with it; what it reaches is `Head`, which any thread may.
unsafe impl<A> Send for Context<A> {}
// SAFETY: `&Context` reaches only what a handle reaches.
unsafe impl<A> Sync for Context<A> {}

impl<A> Context<A> {
    fn head(&self) -> &Head {
        // SAFETY: a context lies in the cell that it points to, and is reached only from a
        // handler or hook of it, which runs or is dropped while the cell is there.
        unsafe { self.cell.0.as_ref() }
    }

    /// The actor's id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.head().id()
    }

    /// The actor's name: its type, unless one was given at spawn.
    #[must_use]
    pub fn name(&self) -> &str {
        self.head().name()
    }

    /// Name and id.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.head().identity()
    }

    /// Stops the actor after what its mailbox has accepted: from now on it accepts nothing, and
    /// when the rest is handled, the stop hook runs. Returns at once.
    pub fn stop(&self) {
        // SAFETY: as `head`.
        unsafe { close(self.cell.0, Cause::Stopped) }
    }
}

impl<A: Declared> Context<A> {
    /// A handle to this actor.
    ///
    /// It keeps the actor running like any other. An actor that has been told to stop, or whose
    /// last handle was dropped, accepts nothing through it.
    #[must_use]
    pub fn handle(&self) -> A::Handle<Local> {
        // SAFETY: as `head`.
        let strong = unsafe { Strong::new(self.cell.0) };
        A::wrap::<Local>(Handle::from_strong(strong))
    }
}

impl<A> std::fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.identity()).finish()
    }
}
