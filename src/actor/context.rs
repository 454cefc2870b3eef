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
use crate::task::Unit;

/// The part of a context that needs no type: a count of the cell that it lies in, until the end.
///
/// It is counted because a handler has its context by `&mut`, and may swap it for another's: each
/// then keeps the cell that it reaches.
#[repr(transparent)]
pub(crate) struct ContextCell(Option<Unit>);

impl ContextCell {
    pub(super) fn new(count: Unit) -> Self {
        Self(Some(count))
    }

    /// Gives the count up, when no handler or hook will run any more.
    pub(super) fn take(&mut self) -> Option<Unit> {
        self.0.take()
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

impl<A> Context<A> {
    fn raw(&self) -> NonNull<Head> {
        let unit = self
            .cell
            .0
            .as_ref()
            .expect("handlers and hooks run before the end");
        unit.as_raw().cast()
    }

    fn head(&self) -> &Head {
        // SAFETY: the context has a count of this cell.
        unsafe { self.raw().as_ref() }
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
        unsafe { close(self.raw(), Cause::Stopped) }
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
        let strong = unsafe { Strong::of_itself(self.raw()) };
        A::wrap::<Local>(Handle::from_strong(strong))
    }
}

impl<A> std::fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.identity()).finish()
    }
}
