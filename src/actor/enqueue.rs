//! An ask in two steps: the message is in, then its reply.

#[cfg(feature = "remote")]
mod far;
mod near;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

#[cfg(feature = "remote")]
pub(crate) use far::FarReply;
use near::Near;

use super::blocking::block_on;
use super::error::{AskError, TellError};
use super::identity::Identity;
use super::origin::Origin;
use super::request::Request;
use super::route::{Carries, Local, Route};
use super::timed::{Limit, Limited, Timed};
use super::traits::{ErrOf, Handler, OkOf};
use super::waits::Watch;
use crate::reply::Receiver;

/// The first step of an ask in two: done when the message is accepted, with its [`Reply`].
///
/// Made by [`Request::enqueue`]. **It does nothing until it is awaited.**
///
/// # Errors
///
/// When the actor takes no more; the message is handed back.
///
/// # Cancel safety
///
/// Dropped while it waits for a slot, it withdraws the message. Dropped after the message was
/// accepted, it has dropped the reply as well.
#[must_use = "an ask does nothing until it is awaited"]
pub struct Enqueue<'h, A: 'static, M: Send + 'static, R: Route = Local>(R::Ask<'h, A, M>);

/// What it gives.
pub(crate) type Enqueued<A, M> = Result<Reply<OkOf<A, M>, ErrOf<A, M>>, TellError<M>>;

impl<'h, A: 'static, M: Send + 'static, R: Route> Request<'h, A, M, R> {
    /// Asks in two steps: awaiting this queues the message, and gives the future of its reply.
    ///
    /// The message is always queued, also where an ask would run its handler at once. So many can
    /// be sent before any is waited for, in order, and the reply can be waited for elsewhere:
    ///
    /// ```
    /// # use greenroom::{Reply, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let first: Reply<u64> = counter.add(1).enqueue().await?;
    /// let second = counter.add(2).enqueue().await?; // comes after the first
    /// let elsewhere = tokio::spawn(second);
    /// assert_eq!(first.await?, 1);
    /// assert_eq!(elsewhere.await??, 3);
    /// # Ok(()) }
    /// ```
    pub fn enqueue(self) -> Enqueue<'h, A, M, R> {
        Enqueue(self.into_ask())
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Enqueue<'_, A, M, R> {
    /// Limits the wait for a slot. The error hands the message back.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// Queues the message from code that is not async, blocking the thread while no slot is free.
    ///
    /// # Errors
    ///
    /// When the actor takes no more; the message is handed back.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> Enqueued<A, M> {
        block_on(self)
    }
}

impl<'h, A: 'static, M: Send + 'static, R: Route> Enqueue<'h, A, M, R> {
    /// One that owns its handle.
    pub fn into_owned(self) -> Enqueue<'static, A, M, R> {
        Enqueue(R::into_owned(self.0))
    }

    fn project(self: Pin<&mut Self>) -> Pin<&mut R::Ask<'h, A, M>> {
        // SAFETY: structural: the one field is pinned with the whole, which never moves it.
        unsafe { self.map_unchecked_mut(|enqueue| &mut enqueue.0) }
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Future for Enqueue<'_, A, M, R> {
    type Output = Enqueued<A, M>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        R::poll_enqueue(self.project(), cx)
    }
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Limited for Enqueue<'_, A, M, R> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        R::expire_enqueue(self.project(), limit)
    }

    fn limit(&mut self) {
        R::watch(&mut self.0, Watch::Tell);
    }
}

impl<A: 'static, M: Send + 'static, R: Route> fmt::Debug for Enqueue<'_, A, M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Enqueue<{}>", std::any::type_name::<M>())
    }
}

/// A reply that is on its way: the second step of an ask in two.
///
/// It gives what the ask would have given. It borrows nothing and does not keep the actor running,
/// which answers what it has accepted before it ends.
///
/// # Panics
///
/// When it is polled again after it has given the reply.
///
/// # Cancel safety
///
/// Dropping it is dropping an ask whose message was accepted.
#[must_use = "the reply is dropped unless it is awaited"]
pub struct Reply<T, E = std::convert::Infallible>(Source<T, E>);

/// Where it comes from.
enum Source<T, E> {
    Near(Near<T, E>),
    #[cfg(feature = "remote")]
    Far(Box<dyn FarReply<T, E>>),
}

impl<T: Send + 'static, E: Send + 'static> Reply<T, E> {
    /// # Safety
    ///
    /// - The receiver is of a slot for an `Outcome<T, E>`.
    /// - It is of a limited ask.
    pub(super) unsafe fn new(
        receiver: Receiver,
        origin: Origin,
        is_detached: bool,
        watch: Watch,
    ) -> Self {
        // SAFETY: the caller.
        Self(Source::Near(unsafe {
            Near::new(receiver, origin, is_detached, watch)
        }))
    }

    #[cfg(feature = "remote")]
    pub(crate) fn far(reply: Box<dyn FarReply<T, E>>) -> Self {
        Self(Source::Far(reply))
    }

    fn watch(&mut self, watch: Watch) {
        match &mut self.0 {
            Source::Near(near) => near.watch(watch),
            #[cfg(feature = "remote")]
            Source::Far(_) => {}
        }
    }

    /// Limits the wait. The error says where the message was; the limit does not travel with it.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// Leaves the wait out of the search for deadlocks, as [`Request::unchecked`].
    pub fn unchecked(mut self) -> Self {
        self.watch(Watch::Off);
        self
    }

    /// Waits in code that is not async, blocking the thread.
    ///
    /// # Errors
    ///
    /// As the ask.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> Result<T, AskError<E>> {
        block_on(self)
    }
}

impl<T: Send + 'static, E: Send + 'static> Future for Reply<T, E> {
    type Output = Result<T, AskError<E>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Source::Near(near) => near.poll(cx),
            #[cfg(feature = "remote")]
            Source::Far(far) => far.poll(cx),
        }
    }
}

impl<T: Send + 'static, E: Send + 'static> Limited for Reply<T, E> {
    fn expire(mut self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        match &mut self.0 {
            Source::Near(near) => near.expire(limit),
            #[cfg(feature = "remote")]
            Source::Far(far) => far.expire(limit),
        }
    }

    fn limit(&mut self) {
        self.watch(Watch::Tell);
    }
}

impl<T, E> Reply<T, E> {
    fn identity(&self) -> Identity {
        match &self.0 {
            Source::Near(near) => near.identity(),
            #[cfg(feature = "remote")]
            Source::Far(far) => far.identity(),
        }
    }
}

impl<T, E> fmt::Debug for Reply<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reply").field(&self.identity()).finish()
    }
}
