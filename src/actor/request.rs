//! Requests: what a method of a handle returns.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use super::blocking::block_on;
use super::error::TellError;
use super::route::{Carries, Local, Route};
use super::timed::{Due, Limit, Limited, Timed};
use super::traits::{AskResult, Handler};
use super::waits::Watch;

/// A message for an actor, not sent yet.
///
/// **It does nothing until it is awaited**, or turned into something that is: awaiting it asks,
/// `.tell()` sends one way, `.try_tell()` does so without waiting. It *is* a future, so
/// `join_all`, `select!` and their kin take it as it is, and it borrows its handle, so an ask
/// counts no references; [`Request::into_owned`] lets it outlive the handle. Many are asked at once
/// by [`ask_all`](crate::ask_all).
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let counter = Counter { count: 0 }.spawn();
/// assert_eq!(counter.add(1).await?, 1); // asks
/// counter.add(1).timeout(Duration::from_secs(5)).await?; // waits five seconds at most
/// counter.add(1).tell().await?; // one way
/// let task = tokio::spawn(counter.add(1).into_owned());
/// assert_eq!(task.await??, 4);
/// # Ok(()) }
/// ```
///
/// # Order
///
/// Messages from one task through one handle are handled in the order in which their sends were
/// first polled.
///
/// # Cancel safety
///
/// Dropped before its first poll, or while it waits for a slot, it withdraws the message. Dropped
/// while the message is queued, that is skipped when its turn comes, unless it is
/// `#[message(detached)]`; it is [undelivered](crate::Undelivered) then. Dropped after its handler
/// has begun, the handler goes on, and the reply is dropped; the handler may watch for it by
/// [`Context::asker_gone`](crate::Context::asker_gone).
#[must_use = "a request does nothing until it is awaited or sent by `.tell()` or `.try_tell()`"]
pub struct Request<'h, A: 'static, M: Send + 'static, R: Route = Local>(R::Ask<'h, A, M>);

impl<'h, A: 'static, M: Send + 'static, R: Route> Request<'h, A, M, R> {
    #[doc(hidden)]
    pub fn new(handle: &'h R::Handle<A>, message: M) -> Self {
        Self(R::begin(handle, message))
    }

    /// A request that owns its handle, as `tokio::spawn` needs it.
    ///
    /// # Panics
    ///
    /// Never in safe code: a request that was polled is pinned and can't be moved here.
    pub fn into_owned(self) -> Request<'static, A, M, R> {
        Request(R::into_owned(self.0))
    }

    pub(super) fn into_ask(self) -> R::Ask<'h, A, M> {
        self.0
    }

    #[cfg(feature = "remote")]
    pub(super) fn ask(&self) -> &R::Ask<'h, A, M> {
        &self.0
    }

    #[inline]
    pub(super) fn project(self: Pin<&mut Self>) -> Pin<&mut R::Ask<'h, A, M>> {
        // SAFETY: structural: the one field is pinned with the request, which never moves it.
        unsafe { self.map_unchecked_mut(|request| &mut request.0) }
    }

    /// The message, unsent.
    #[must_use]
    pub fn into_message(self) -> M {
        R::into_message(self.0)
    }

    /// Leaves the request out of the search for deadlocks: it is in no circle, and may wait for
    /// ever.
    ///
    /// For a request that a handler polls beside something else, which ends the wait where the
    /// answer can't come:
    ///
    /// ```
    /// # use greenroom::{Context, actor};
    /// # use tokio::sync::oneshot;
    /// #[actor]
    /// struct Clerk;
    ///
    /// #[actor]
    /// impl Clerk {
    ///     fn ready(&self) -> bool { true }
    ///     async fn watch(&self, end: oneshot::Receiver<()>, ctx: &mut Context<Self>) -> bool {
    ///         let me = ctx.handle();
    ///         tokio::select! {
    ///             _ = me.ready().unchecked() => true, // never: its own handler runs
    ///             _ = end => false,
    ///         }
    ///     }
    /// }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let (end, ended) = oneshot::channel();
    /// drop(end);
    /// assert!(!Clerk.spawn().watch(ended).await?);
    /// # Ok(()) }
    /// ```
    pub fn unchecked(mut self) -> Self {
        R::watch(&mut self.0, Watch::Off);
        self
    }

    /// Sends one way: done when the message is accepted. Does nothing until it is awaited.
    pub fn tell(self) -> Tell<'h, A, M, R> {
        Tell(self.0)
    }
}

impl<'h, A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Request<'h, A, M, R> {
    /// Sends one way, now or not at all.
    ///
    /// # Errors
    ///
    /// When no slot is free or the actor takes no more; the message is handed back.
    pub fn try_tell(self) -> Result<(), TellError<M>> {
        R::try_tell(self.0)
    }

    /// Limits the time from the first poll to the reply.
    ///
    /// The error says where the message was: not accepted, then it is handed back; queued, then it
    /// will not be handled; or with its handler, then the outcome is unknown. A message that is
    /// accepted as the limit passes counts as accepted.
    ///
    /// The deadline travels: the handler sees it by
    /// [`Context::deadline`](crate::Context::deadline), and what it asks has no more time.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`Request::timeout`], until a point in time: one of tokio's clock, or of std's. If it has
    /// passed at the first poll, the ask is not sent: [`Refusal::Expired`](crate::Refusal).
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    /// counter.add(1).deadline(deadline).await?;
    /// counter.add(1).deadline(deadline).await?; // both within five seconds
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Request::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// Asks from code that is not async, blocking the thread.
    ///
    /// ```
    /// # use greenroom::{actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let task = tokio::task::spawn_blocking(move || counter.add(2).blocking());
    /// assert_eq!(task.await??, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// The actor needs a thread to run on: on a current-thread runtime that nobody drives (no
    /// thread is in its `block_on`) the reply never comes. Workers of a multi-thread runtime run
    /// by themselves.
    ///
    /// # Errors
    ///
    /// As the ask.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> AskResult<A, M> {
        block_on(self)
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Future for Request<'_, A, M, R> {
    type Output = AskResult<A, M>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        R::poll_ask(self.project(), cx)
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Limited for Request<'_, A, M, R> {
    fn begin(self: Pin<&mut Self>, due: Due, is_queued: bool) -> Option<Self::Output> {
        R::begin_limited(self.project(), due, is_queued)
    }

    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        R::expire_ask(self.project(), limit)
    }

    fn limit(&mut self) {
        R::watch(&mut self.0, Watch::Tell);
    }
}

impl<A: 'static, M: Send + 'static, R: Route> fmt::Debug for Request<'_, A, M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request<{}>", std::any::type_name::<M>())
    }
}

/// A message on its way to an actor, one way.
///
/// Done when the message is accepted: it then stands in the mailbox, and its handler will run
/// unless the actor ends before. **It does nothing until it is awaited.**
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let counter = Counter { count: 0 }.spawn();
/// counter.add(1).tell().await?; // waits for a slot
/// counter.tell(CounterAdd { n: 1 }).await?; // the same, by message value
/// counter.add(1).tell().timeout(Duration::from_millis(50)).await?; // waits so long at most
/// assert_eq!(counter.add(0).await?, 3);
/// # Ok(()) }
/// ```
///
/// # Cancel safety
///
/// Dropped while it waits for a slot, it withdraws the message; [`Tell::cancel`] hands it back.
#[must_use = "a tell does nothing until it is awaited"]
pub struct Tell<'h, A: 'static, M: Send + 'static, R: Route = Local>(R::Ask<'h, A, M>);

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Tell<'_, A, M, R> {
    /// Limits the wait for a slot. The error hands the message back.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`Tell::timeout`], until a point in time: one of tokio's clock, or of std's. It limits
    /// the wait for a slot alone: a message that was accepted in time is handled, however late.
    ///
    /// # Panics
    ///
    /// As [`Tell::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// Sends from code that is not async, blocking the thread while no slot is free.
    ///
    /// On a current-thread runtime that nobody drives (no thread is in its `block_on`) no slot
    /// comes free, and what was accepted is not handled.
    ///
    /// # Errors
    ///
    /// When the actor takes no more; the message is handed back.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> Result<(), TellError<M>> {
        block_on(self)
    }

    /// Takes the message back: `None` if it was accepted already.
    ///
    /// ```
    /// # use greenroom::{actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let mut tell = std::pin::pin!(counter.add(2).tell());
    /// tokio::select! {
    ///     sent = tell.as_mut() => sent?,
    ///     _ = tokio::signal::ctrl_c() => {
    ///         if let Some(message) = tell.as_mut().cancel() {
    ///             println!("{} was not added", message.n);
    ///         }
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub fn cancel(self: Pin<&mut Self>) -> Option<M> {
        R::cancel(self.project())
    }
}

impl<'h, A: 'static, M: Send + 'static, R: Route> Tell<'h, A, M, R> {
    /// Leaves the tell out of the search for deadlocks, as [`Request::unchecked`].
    pub fn unchecked(mut self) -> Self {
        R::watch(&mut self.0, Watch::Off);
        self
    }

    /// A tell that owns its handle.
    pub fn into_owned(self) -> Tell<'static, A, M, R> {
        Tell(R::into_owned(self.0))
    }

    fn project(self: Pin<&mut Self>) -> Pin<&mut R::Ask<'h, A, M>> {
        // SAFETY: structural: the one field is pinned with the tell, which never moves it.
        unsafe { self.map_unchecked_mut(|tell| &mut tell.0) }
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Future for Tell<'_, A, M, R> {
    type Output = Result<(), TellError<M>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        R::poll_tell(self.project(), cx)
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Limited for Tell<'_, A, M, R> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        R::expire_tell(self.project(), limit)
    }

    fn limit(&mut self) {
        R::watch(&mut self.0, Watch::Tell);
    }
}

impl<A: 'static, M: Send + 'static, R: Route> fmt::Debug for Tell<'_, A, M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tell<{}>", std::any::type_name::<M>())
    }
}
