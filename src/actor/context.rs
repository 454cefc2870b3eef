//! What a handler knows of its actor.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context as TaskContext, Poll};

use tokio::time::Instant;

use super::cause::{Cause, close, finish};
use super::cell::{Head, lend};
use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;
use super::life::Life;
use super::origin::Origin;
use super::route::Local;
use super::running::Running;
use super::strong::Strong;
use super::traits::Declared;
use crate::id::Id;
use crate::reply::WatchKey;
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

    pub(super) fn head(&self) -> &Head {
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

    /// Which life of the actor this is: 1, and one more for each restart.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.head().incarnation_number()
    }

    /// A count of the cell.
    pub(super) fn unit(&self) -> Unit {
        // SAFETY: as `head`.
        let unit = unsafe { lend(self.raw()) };
        (*unit).clone()
    }

    /// What a reply says of the actor that goes on after its handler.
    pub(super) fn origin(&self) -> Origin {
        Origin::new(self.unit(), std::any::type_name::<A>)
    }

    /// Stops the actor after what its mailbox has accepted: from now on it accepts nothing, and
    /// when the rest is handled, the stop hook runs. Returns at once.
    ///
    /// A [permanent](crate::Restart::Permanent) child, which its supervisor brings back, stops
    /// after the handler that runs: its mailbox stays open, and what is in it waits for its next
    /// life.
    pub fn stop(&self) {
        if self.head().life().is_some_and(Life::outlives_stop) {
            // SAFETY: as `head`.
            return unsafe { finish(self.raw()) };
        }
        // SAFETY: as `head`.
        unsafe { close(self.raw(), Cause::Finished) }
    }
}

impl<A> Context<A> {
    /// Has the actor end with another reason than its stop hook was given, which calls it.
    pub(crate) fn end_as(&self, reason: ExitReason) {
        if let Some(running) = self.running() {
            running.end_as(reason);
        }
    }
}

/// # The asker
///
/// Of the message that is being handled. To be called from the handler's own code: on other
/// threads, and in hooks, there is none.
impl<A> Context<A> {
    /// The actor, if this thread is in its handler's poll.
    fn running(&self) -> Option<Running> {
        // A context may have been swapped for another actor's.
        Running::of_thread().filter(|running| running.head().id() == self.id())
    }

    /// When the asker stops waiting, if it has a limit: its own, or one that it inherited from
    /// the handler that it is part of.
    ///
    /// Asks that the handler polls inherit it: they fail when it passes. One-way messages and
    /// spawned tasks do not. The handler itself goes on.
    ///
    /// ```
    /// # use greenroom::{actor, Context};
    /// # #[actor] struct Store;
    /// #[actor]
    /// impl Store {
    ///     fn rank(&self, ctx: &Context<Self>) -> u32 {
    ///         let deadline = ctx.deadline();
    ///         let is_late = || deadline.is_some_and(|at| at <= tokio::time::Instant::now());
    ///         (0..1_000_000).take_while(|_| !is_late()).sum()
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.running()?.deadline()
    }

    /// Waits until nobody waits for the reply any more: the ask was dropped, or its limit has
    /// passed. Never, if the message was told.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{actor, Context};
    /// # #[actor] struct Store;
    /// # async fn search(word: &str) -> Vec<String> { vec![] }
    /// #[actor]
    /// impl Store {
    ///     async fn find(&mut self, word: String, ctx: &Context<Self>) -> Vec<String> {
    ///         tokio::select! {
    ///             found = search(&word) => found,
    ///             () = ctx.asker_gone() => Vec::new(), // which nobody reads
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// It may be dropped and called again.
    pub async fn asker_gone(&self) {
        AskerGone {
            ctx: self,
            key: WatchKey::default(),
        }
        .await;
    }
}

/// Waits until the asker has gone.
struct AskerGone<'a, A> {
    ctx: &'a Context<A>,
    key: WatchKey,
}

impl<A> Future for AskerGone<'_, A> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        let Some(running) = self.ctx.running() else {
            return Poll::Pending;
        };
        let watch = running.watch_asker(&mut self.key, cx.waker().clone());
        match watch.settle() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl<A> Drop for AskerGone<'_, A> {
    fn drop(&mut self) {
        if let Some(running) = self.ctx.running() {
            running.unwatch_asker(&self.key).settle();
        }
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
