//! The handle of an actor within the process.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
#[cfg(feature = "remote")]
use std::pin::pin;

use super::cause::Cause;
use super::cell::Head;
use super::exit::ExitReason;
use super::identity::Identity;
#[cfg(feature = "remote")]
use super::inline;
use super::local::Target;
use super::policy::Overflowed;
use super::request::{Request, Tell};
#[cfg(feature = "remote")]
use super::sending::Sending;
use super::spawn_error::CapacityError;
use super::strong::Strong;
use super::traits::Handler;
use super::weak::WeakHandle;
use super::{Recipient, TellError};
use crate::id::Id;
use crate::limits::MAILBOX_MAX;
use crate::mailbox::{Accepted, MailboxMetrics};

/// A strong handle to an actor, one pointer wide: it sends, and it keeps the actor running.
///
/// The handle that `#[actor]` generates derefs to this one, so what stands here is reached as
/// `handle.stop()`, or, where a method of the actor has the same name, as `Handle::stop(&handle)`.
///
/// When the last strong handle is dropped, the actor handles what it has accepted, runs its stop
/// hook and ends. When the runtime ends first, as when `main` returns, it does neither: to have
/// both done, await [`Handle::shutdown`].
pub struct Handle<A> {
    target: Target,
    _actor: PhantomData<fn() -> A>,
}

impl<A> Handle<A> {
    pub(super) fn from_strong(strong: Strong) -> Self {
        Self {
            target: Target(strong),
            _actor: PhantomData,
        }
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    fn strong(&self) -> &Strong {
        &self.target.0
    }

    /// The part of the actor's cell that needs no type.
    pub(crate) fn head(&self) -> &Head {
        self.strong().head()
    }

    /// The actor's id, unique within the process and never used again.
    #[must_use]
    pub fn id(&self) -> Id {
        self.strong().head().id()
    }

    /// The actor's name: its type, unless one was given at spawn.
    #[must_use]
    pub fn name(&self) -> &str {
        self.strong().head().name()
    }

    /// Name and id.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.strong().head().identity()
    }

    /// Stops the actor after what its mailbox has accepted.
    ///
    /// Marking and closing are one step: what was accepted before is handled, what comes after,
    /// and what still waits for a slot, is handed back. Returns at once; [`Handle::join`] waits.
    ///
    /// ```
    /// # use greenroom::{ExitReason, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.add(1).tell().await?;
    /// counter.stop(); // the tell is still handled
    /// assert!(counter.add(2).await.is_err()); // refused
    /// assert!(matches!(counter.join().await, ExitReason::Stopped));
    /// # Ok(()) }
    /// ```
    pub fn stop(&self) {
        self.strong().close(Cause::Stopped);
    }

    /// Stops the actor and waits for its end: [`Handle::stop`], then [`Handle::join`].
    ///
    /// ```
    /// # use greenroom::{actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.add(1).tell().await?;
    /// let reason = counter.shutdown().await; // the tell was handled, the stop hook has run
    /// assert!(reason.is_normal());
    /// # Ok(()) }
    /// ```
    ///
    /// Cancel safety: the actor is told to stop at the first poll; what is dropped later is only
    /// the wait.
    pub async fn shutdown(&self) -> ExitReason {
        self.stop();
        self.join().await
    }

    /// Ends the actor without handling what is queued. A handler that runs is dropped at its next
    /// await, and no stop hook runs. Returns at once; [`Handle::join`] waits.
    ///
    /// ```
    /// # use greenroom::{ExitReason, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.kill();
    /// assert!(matches!(counter.join().await, ExitReason::Killed));
    /// # Ok(()) }
    /// ```
    pub fn kill(&self) {
        self.strong().close(Cause::Killed);
    }

    /// Waits for the end: hooks done, state dropped, messages left handed back.
    ///
    /// Any number may wait, before or after the end, and all get the same reason. **It only
    /// waits**, and the handle that it is called on keeps the actor running: stop the actor, use
    /// [`Handle::shutdown`], or wait by [`WeakHandle::join`].
    ///
    /// ```
    /// # use greenroom::{ExitReason, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.stop();
    /// match counter.join().await {
    ///     ExitReason::Panicked(crash) => eprintln!("the counter {crash}"),
    ///     reason => println!("the counter ended: {reason}"),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// Cancel safety: it may be dropped at any time.
    pub async fn join(&self) -> ExitReason {
        self.strong().head().ending.wait().await
    }

    /// Whether nothing is left of the actor: hooks have run, its state was dropped, its name is
    /// free.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.exit_reason().is_some()
    }

    /// Why the actor ended, if it has.
    #[must_use]
    pub fn exit_reason(&self) -> Option<ExitReason> {
        self.strong().head().ending.over().cloned()
    }

    /// The mailbox's slots.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.strong().head().mailbox.capacity()
    }

    /// Changes the number of the mailbox's slots: 1 to [`MAILBOX_MAX`](crate::limits::MAILBOX_MAX).
    ///
    /// More slots go to those who wait. With fewer, what is in stays in, and nothing comes in until
    /// there is room.
    ///
    /// # Errors
    ///
    /// When there can't be so many; nothing is changed.
    pub fn set_capacity(&self, slots: usize) -> Result<(), CapacityError> {
        if slots == 0 || slots > MAILBOX_MAX {
            return Err(CapacityError::new(slots));
        }
        let mailbox = &self.strong().head().mailbox;
        if mailbox.set_capacity(slots, &Overflowed(self.strong().head())) == Accepted::Notify {
            self.strong().unit().notify();
        }
        Ok(())
    }

    /// The mailbox in numbers.
    ///
    /// ```
    /// # use greenroom::actor;
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), greenroom::Error> {
    /// #[actor(mailbox = 8, mailbox_bytes = 4096)]
    /// struct Screen {
    ///     shown: Vec<String>,
    /// }
    ///
    /// #[actor]
    /// impl Screen {
    ///     #[message(lane = urgent)]
    ///     fn clear(&mut self) {
    ///         self.shown.clear();
    ///     }
    ///
    ///     #[message(overflow = latest(user), bytes = text.len())]
    ///     fn show(&mut self, user: u32, text: String) {
    ///         self.shown.push(format!("{user}: {text}"));
    ///     }
    /// }
    ///
    /// let screen = Screen { shown: vec![] }.spawn();
    /// for second in 0..60 {
    ///     screen.show(7, format!("{second} s")).tell().await?; // replaces the one before it
    /// }
    /// let mailbox = screen.mailbox();
    /// assert_eq!((mailbox.used, mailbox.bytes, mailbox.dropped), (1, 4, 59));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn mailbox(&self) -> MailboxMetrics {
        self.strong().head().mailbox.metrics()
    }

    /// Slots that no message holds. A message holds one until its handler begins.
    #[must_use]
    pub fn free_slots(&self) -> usize {
        self.strong().head().mailbox.free_slots()
    }

    /// Sends that wait for a slot.
    #[must_use]
    pub fn waiting_senders(&self) -> usize {
        self.strong().head().mailbox.waiting()
    }

    /// How many strong handles there are.
    #[must_use]
    pub fn handle_count(&self) -> usize {
        self.strong().head().handles.count()
    }

    /// A handle that does not keep the actor running.
    #[must_use]
    pub fn downgrade(&self) -> WeakHandle<A> {
        WeakHandle::new((*self.strong().unit()).clone())
    }
}

impl<A: 'static> Handle<A> {
    /// Asks by message value. Does nothing until it is awaited.
    pub fn ask<M: Send + 'static>(&self, message: M) -> Request<'_, A, M>
    where
        A: Handler<M>,
    {
        Request::new(self, message)
    }

    /// Tells by message value: one way, waiting for a slot. Does nothing until it is awaited.
    pub fn tell<M: Send + 'static>(&self, message: M) -> Tell<'_, A, M>
    where
        A: Handler<M>,
    {
        Request::new(self, message).tell()
    }

    /// Tells without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free or the actor takes no more; the message is handed back.
    pub fn try_tell<M: Send + 'static>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Handler<M>,
    {
        Request::<A, M>::new(self, message).try_tell()
    }

    /// As [`Handle::try_tell`]; an actor that has nothing to do may handle it at once, here, as it
    /// may an ask.
    #[cfg(feature = "remote")]
    pub(crate) fn tell_here<M: Send + 'static>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Handler<M>,
    {
        let mut sending = pin!(Sending::new(message));
        if inline::tell::<A, M>(self.strong(), sending.as_mut()) {
            return Ok(());
        }
        let message = sending.bypass().expect("it was not handled");
        self.try_tell(message)
    }

    /// A handle for one message type, whatever the actor.
    #[must_use]
    pub fn recipient<M: Send + 'static>(&self) -> Recipient<M>
    where
        A: Handler<M>,
    {
        Recipient::new::<A>(self.target().clone())
    }
}

impl<A> Clone for Handle<A> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            _actor: PhantomData,
        }
    }
}

impl<A> PartialEq for Handle<A> {
    fn eq(&self, other: &Self) -> bool {
        self.target.0 == other.target.0
    }
}

impl<A> Eq for Handle<A> {}

impl<A> Hash for Handle<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl<A> fmt::Debug for Handle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.identity()).finish()
    }
}

// Whatever panics while it holds one: what it reaches is locked, atomic, or behind the run right.
impl<A> UnwindSafe for Handle<A> {}
impl<A> RefUnwindSafe for Handle<A> {}
