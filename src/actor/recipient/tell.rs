//! A tell by a recipient.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::{Recipient, Telling};
use crate::actor::blocking::block_on;
use crate::actor::error::{Refusal, TellError};
use crate::actor::sending::Sending;
use crate::actor::timed::{Limit, Limited, Timed};
use crate::actor::waits::Watch;

pin_project! {
    /// A message on its way to a [`Recipient`](crate::Recipient), one way.
    ///
    /// Done when the message is accepted. **It does nothing until it is awaited.**
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Recipient, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let adder: Recipient<CounterAdd> = counter.recipient();
    /// adder.tell(CounterAdd { n: 1 }).await?;
    /// adder.tell(CounterAdd { n: 1 }).timeout(Duration::from_millis(50)).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the actor takes no more, or the message does not come across to another process; it is
    /// handed back.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits for a slot, it withdraws the message; [`RecipientTell::cancel`] hands
    /// it back.
    #[must_use = "a tell does nothing until it is awaited"]
    pub struct RecipientTell<'r, M>
    where
        M: Send,
        M: 'static,
    {
        #[pin]
        sending: Sending<M>,
        telling: Telling<'r, M>,
    }
}

impl<'r, M: Send + 'static> RecipientTell<'r, M> {
    pub(super) fn new(recipient: &'r Recipient<M>, message: M) -> Self {
        Self {
            sending: Sending::new(message),
            telling: Telling::to(recipient),
        }
    }

    /// Limits the wait for a slot. The error hands the message back.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`RecipientTell::timeout`], until a point in time: one of tokio's clock, or of std's.
    ///
    /// # Panics
    ///
    /// As [`RecipientTell::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// Sends from code that is not async, blocking the thread while no slot is free.
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

    /// Leaves the tell out of the search for deadlocks, as
    /// [`Request::unchecked`](crate::Request::unchecked).
    pub fn unchecked(mut self) -> Self {
        self.telling.relax(Watch::Off);
        self
    }

    /// A tell that owns its recipient.
    ///
    /// # Panics
    ///
    /// Never in safe code: a tell that was polled is pinned and can't be moved here.
    pub fn into_owned(self) -> RecipientTell<'static, M> {
        let message = self.sending.into_message();
        RecipientTell {
            sending: Sending::new(message.expect("a tell is owned before it is polled")),
            telling: self.telling.into_owned(),
        }
    }

    /// Takes the message back: `None` if it was accepted already.
    pub fn cancel(self: Pin<&mut Self>) -> Option<M> {
        let this = self.project();
        this.telling.cancel(this.sending)
    }
}

impl<M: Send + 'static> Future for RecipientTell<'_, M> {
    type Output = Result<(), TellError<M>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.telling.poll(this.sending, cx)
    }
}

impl<M: Send + 'static> Limited for RecipientTell<'_, M> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        let this = self.project();
        this.telling.give_up(this.sending, Refusal::Timeout(limit))
    }

    fn limit(&mut self) {
        self.telling.relax(Watch::Tell);
    }
}

impl<M: Send + 'static> fmt::Debug for RecipientTell<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipientTell<{}>", std::any::type_name::<M>())
    }
}
