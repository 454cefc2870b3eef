//! A tell by a recipient.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::SealFor;
use crate::actor::blocking::block_on;
use crate::actor::error::{Refusal, TellError};
use crate::actor::local::{Parts, Target};
use crate::actor::sending::Sending;
use crate::actor::timed::{Limit, Limited, Timed};
use crate::actor::waits::Watch;
use crate::reply::Receiver;

/// To whom is told, by what seals for it, and whether the wait for a slot is seen.
pub(in crate::actor) struct Telling<'h, M> {
    pub(in crate::actor) target: Cow<'h, Target>,
    pub(in crate::actor) seal: SealFor<M>,
    pub(in crate::actor) watch: Watch,
}

impl<'h, M> Telling<'h, M> {
    pub(in crate::actor) fn new(target: Cow<'h, Target>, seal: SealFor<M>) -> Self {
        let watch = Watch::Fail;
        Self {
            target,
            seal,
            watch,
        }
    }

    pub(in crate::actor) fn into_owned(self) -> Telling<'static, M> {
        Telling {
            target: Cow::Owned(self.target.into_owned()),
            seal: self.seal,
            watch: self.watch,
        }
    }
}

/// Polls a send as a tell.
pub(in crate::actor) fn poll_tell<M: Send + 'static>(
    sending: Pin<&mut Sending<M>>,
    telling: &Telling<'_, M>,
    cx: &mut Context<'_>,
) -> Poll<Result<(), TellError<M>>> {
    with_parts(sending, telling, |parts| parts.poll_tell(telling.seal, cx))
}

/// Takes the message of a tell back, unless it was accepted.
pub(in crate::actor) fn give_up<M: Send + 'static>(
    sending: Pin<&mut Sending<M>>,
    telling: &Telling<'_, M>,
    refusal: Refusal,
) -> Result<(), TellError<M>> {
    with_parts(sending, telling, |parts| parts.fail_tell(refusal))
}

/// A tell as an ask without a reply.
fn with_parts<M: Send + 'static, R>(
    sending: Pin<&mut Sending<M>>,
    telling: &Telling<'_, M>,
    f: impl FnOnce(&mut Parts<'_, M>) -> R,
) -> R {
    f(&mut Parts {
        receiver: &mut Receiver::none(),
        accepted: &mut false,
        watch: telling.watch,
        sending,
        target: &telling.target.0,
    })
}

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
    /// When the actor takes no more; the message is handed back.
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
    pub(super) fn new(target: &'r Target, seal: SealFor<M>, message: M) -> Self {
        Self {
            sending: Sending::new(message),
            telling: Telling::new(Cow::Borrowed(target), seal),
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
        self.telling.watch.relax(Watch::Off);
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
        self.project().sending.cancel()
    }
}

impl<M: Send + 'static> Future for RecipientTell<'_, M> {
    type Output = Result<(), TellError<M>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll_tell(this.sending, this.telling, cx)
    }
}

impl<M: Send + 'static> Limited for RecipientTell<'_, M> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        let this = self.project();
        give_up(this.sending, this.telling, Refusal::Timeout(limit))
    }

    fn limit(&mut self) {
        self.telling.watch.relax(Watch::Tell);
    }
}

impl<M: Send + 'static> fmt::Debug for RecipientTell<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipientTell<{}>", std::any::type_name::<M>())
    }
}
