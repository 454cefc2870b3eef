//! Reserving slots before there is a message.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::blocking::block_on;
use super::error::Refusal;
use super::handle::Handle;
use super::identity::Identity;
use super::local::Target;
use super::permit::{Permit, Permits};
use super::slots::{Reserving, Slots};
use super::timed::{Limit, Limited, Timed};
use super::waits::Watch;
use crate::error::Error;

/// # Reserving
///
/// A slot that is reserved is held without a message. So a message need not be made, or taken from
/// elsewhere, before there is room for it; and it can be told where nothing may wait.
///
/// ```
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let counter = Counter { count: 0 }.spawn();
/// # let (sender, mut jobs) = tokio::sync::mpsc::channel(4);
/// # sender.send(3).await?;
/// # drop(sender);
/// while let Some(n) = jobs.recv().await {
///     let permit = counter.reserve().await?; // a job is taken, and there is room for what follows
///     permit.tell(CounterAdd { n })?;
/// }
/// let permits = counter.reserve_many(3).await?; // all at once, or none
/// for (permit, n) in permits.zip(1..) {
///     permit.tell(CounterAdd { n })?;
/// }
/// assert_eq!(counter.add(0).await?, 9);
/// # Ok(()) }
/// ```
///
/// Whoever holds a slot keeps others from it: one that waits for something else meanwhile may
/// starve those who have messages. Wait for that first, and reserve last.
impl<A: 'static> Handle<A> {
    /// Reserves a slot, waiting for it. Does nothing until it is awaited.
    ///
    /// Those who wait for slots, with a message or without, are served first come, first served.
    pub fn reserve(&self) -> Reserve<'_, Permit<'_, A>> {
        Reserve::new(Reserving::new(self.target(), 1), Permit::new)
    }

    /// Reserves so many slots, waiting until all are free. Does nothing until it is awaited.
    ///
    /// While it stands first in the line, what comes free is kept for it: nobody overtakes it.
    pub fn reserve_many(&self, slots: usize) -> Reserve<'_, Permits<'_, A>> {
        Reserve::new(Reserving::new(self.target(), slots), Permits::new)
    }

    /// Reserves a slot without waiting.
    ///
    /// # Errors
    ///
    /// When no slot is free, or others wait for one, or the actor takes no more.
    pub fn try_reserve(&self) -> Result<Permit<'_, A>, ReserveError> {
        self.try_slots(1).map(Permit::new)
    }

    /// Reserves so many slots without waiting, or none.
    ///
    /// # Errors
    ///
    /// When fewer are free, or others wait for one, or the actor takes no more.
    pub fn try_reserve_many(&self, slots: usize) -> Result<Permits<'_, A>, ReserveError> {
        self.try_slots(slots).map(Permits::new)
    }

    fn try_slots(&self, count: usize) -> Result<Slots<'_>, ReserveError> {
        let target = self.target();
        Slots::try_reserve(target, count).map_err(|refusal| ReserveError::new(target, refusal))
    }
}

pin_project! {
    /// A wait for slots: one, then `P` is a [`Permit`], or several, then it is [`Permits`].
    ///
    /// **It does nothing until it is awaited.**
    ///
    /// # Errors
    ///
    /// When the actor takes no more, or its mailbox has fewer slots than are asked for.
    ///
    /// # Panics
    ///
    /// When it is polled again after it is done.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, it loses its place in the line and nothing else: slots that were
    /// granted meanwhile are given back.
    #[must_use = "a reservation does nothing until it is awaited"]
    pub struct Reserve<'h, P> {
        #[pin]
        reserving: Reserving<'h>,
        wrap: fn(Slots<'h>) -> P,
    }
}

impl<'h, P> Reserve<'h, P> {
    fn new(reserving: Reserving<'h>, wrap: fn(Slots<'h>) -> P) -> Self {
        Self { reserving, wrap }
    }

    /// Limits the wait.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`Reserve::timeout`], until a point in time: one of tokio's clock, or of std's.
    ///
    /// # Panics
    ///
    /// As [`Reserve::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// Waits in code that is not async, blocking the thread.
    ///
    /// # Errors
    ///
    /// As awaiting it.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> Result<P, ReserveError> {
        block_on(self)
    }

    /// Leaves the wait out of the search for deadlocks, as
    /// [`Request::unchecked`](crate::Request::unchecked).
    pub fn unchecked(mut self) -> Self {
        self.reserving.watch(Watch::Off);
        self
    }
}

impl<A: 'static> Reserve<'_, Permit<'_, A>> {
    /// A reservation that owns its handle, as does the permit.
    pub fn into_owned(self) -> Reserve<'static, Permit<'static, A>> {
        Reserve::new(self.reserving.into_owned(), Permit::new)
    }
}

impl<A: 'static> Reserve<'_, Permits<'_, A>> {
    /// A reservation that owns its handle, as do the permits.
    pub fn into_owned(self) -> Reserve<'static, Permits<'static, A>> {
        Reserve::new(self.reserving.into_owned(), Permits::new)
    }
}

impl<P> Future for Reserve<'_, P> {
    type Output = Result<P, ReserveError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let held = ready!(this.reserving.as_mut().poll(cx));
        let error = |refusal| ReserveError::new(this.reserving.target(), refusal);
        Poll::Ready(held.map(this.wrap).map_err(error))
    }
}

impl<P> Limited for Reserve<'_, P> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        let mut this = self.project();
        let held = this.reserving.as_mut().expire(limit);
        let error = |refusal| ReserveError::new(this.reserving.target(), refusal);
        held.map(this.wrap).map_err(error)
    }

    fn limit(&mut self) {
        self.reserving.watch(Watch::Tell);
    }
}

impl<P> fmt::Debug for Reserve<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = self.reserving.target().0.head().identity();
        f.debug_tuple("Reserve").field(&actor).finish()
    }
}

/// A reservation that was not granted.
#[derive(Clone, Debug)]
pub struct ReserveError {
    actor: Identity,
    refusal: Refusal,
}

impl ReserveError {
    fn new(target: &Target, refusal: Refusal) -> Self {
        let actor = target.0.head().identity();
        Self { actor, refusal }
    }

    pub(super) fn into_parts(self) -> (Identity, Refusal) {
        (self.actor, self.refusal)
    }

    /// Whose slots were asked for.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why there are none.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// Whether the mailbox had too few free slots.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.refusal, Refusal::Full)
    }
}

impl fmt::Display for ReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} gave no slot: {}", self.actor, self.refusal)
    }
}

impl std::error::Error for ReserveError {}

impl From<ReserveError> for Error {
    fn from(error: ReserveError) -> Self {
        Self::new(error)
    }
}
