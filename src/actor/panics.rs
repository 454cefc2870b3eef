//! What becomes of an actor that panicked.

use std::fmt;
use std::marker::PhantomData;

use super::exit::Crash;
use super::running::Running;
use super::traits::Actor;

/// A promise that the actor's state makes sense, whatever a handler had done when it panicked.
///
/// Then [`OnPanic::resume`] may keep it. Think of a handler that has moved a value out of one field
/// and not yet into the other: if that can be, don't promise it. The future of the handler was
/// dropped, so what it owned is gone.
pub trait ResumeAfterPanic {}

/// What becomes of an actor of which a handler or the start hook panicked: what `#[on(panic)]`
/// returns, or what [`Builder::on_panic`](crate::Builder::on_panic) is given.
///
/// It concerns the actor's life alone. The message at fault is not handled again, and its asker is
/// told, before the hook runs.
///
/// ```
/// use greenroom::{Context, Crash, OnPanic, ResumeAfterPanic, actor};
///
/// #[actor]
/// struct Divider {
///     crashes: u32,
/// }
///
/// #[actor]
/// impl Divider {
///     fn divide(&mut self, a: u32, b: u32) -> u32 {
///         a / b
///     }
///
///     #[on(panic)]
///     fn crashed(&mut self, crash: &Crash) -> OnPanic<Self> {
///         self.crashes += 1;
///         if self.crashes > 3 { OnPanic::stop() } else { OnPanic::resume() }
///     }
/// }
///
/// // No handler leaves it half-changed.
/// impl ResumeAfterPanic for Divider {}
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let divider = Divider { crashes: 0 }.spawn();
/// assert!(divider.divide(1, 0).await.is_err());
/// assert_eq!(divider.divide(6, 3).await?, 2);
/// # Ok(()) }
/// ```
///
/// Without the promise it can't be kept:
///
/// ```compile_fail,E0277
/// # use greenroom::{OnPanic, actor};
/// # #[actor] struct Divider;
/// # #[actor] impl Divider {}
/// let keep: OnPanic<Divider> = OnPanic::resume();
/// ```
#[must_use]
pub struct OnPanic<A> {
    choice: Choice,
    _actor: PhantomData<fn() -> A>,
}

/// The choice, whosever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Stop,
    Restart,
    Resume,
}

impl<A> OnPanic<A> {
    /// The actor ends of the panic. If it has a supervisor, that decides.
    pub fn stop() -> Self {
        Self::choose(Choice::Stop)
    }

    /// The state is dropped and another is made, and the start hook runs. If the actor has a
    /// supervisor, that decides; if it has neither a supervisor nor
    /// [what another could be made by](crate::Builder::restartable), this is [`OnPanic::stop`].
    ///
    /// If the start hook of the new state fails, or panics, the actor ends.
    pub fn restart() -> Self {
        Self::choose(Choice::Restart)
    }

    /// The state is kept, and the next message handled. After a panic in the start hook this is
    /// [`OnPanic::stop`]. A supervisor is not asked.
    pub fn resume() -> Self
    where
        A: ResumeAfterPanic,
    {
        Self::choose(Choice::Resume)
    }

    /// The same, of another type.
    pub(super) fn of<B>(self) -> OnPanic<B> {
        OnPanic::choose(self.choice)
    }

    fn choose(choice: Choice) -> Self {
        Self {
            choice,
            _actor: PhantomData,
        }
    }

    pub(super) fn choice(&self) -> Choice {
        self.choice
    }
}

impl<A> Clone for OnPanic<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for OnPanic<A> {}

impl<A> fmt::Debug for OnPanic<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.choice.fmt(f)
    }
}

/// What was given at spawn in place of the type's hook.
pub(super) type Policy = Box<dyn Fn(&Crash) -> Choice + Send + Sync>;

impl Running {
    /// Runs the panic hook.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, its state is there (C4), and there is no task.
    pub(super) unsafe fn panicked<A: Actor>(self, crash: &Crash) -> Choice {
        // SAFETY: the caller; the borrows end with the call.
        let (actor, ctx) = unsafe { self.borrow::<A>() };
        actor.on_panic(ctx, crash).choice()
    }
}
