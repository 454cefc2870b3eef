//! An ask by a recipient.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::way::{Asking, Way};
use crate::actor::blocking::block_on;
use crate::actor::error::AskError;
use crate::actor::fan_out::Ask;
use crate::actor::local::{LocalAsk, Step, Target};
#[cfg(feature = "remote")]
use crate::actor::recipient::FarAsk;
use crate::actor::timed::{Due, Limit, Limited, Timed};
use crate::actor::traits::Sealed;
use crate::actor::waits::Watch;

pin_project! {
    /// An ask of whoever is behind an [`AskRecipient`](crate::AskRecipient), not sent yet.
    ///
    /// **It does nothing until it is awaited.** Order, errors and cancel safety are those of a
    /// [`Request`](crate::Request); [`ask_all`](crate::ask_all) and its kin take it, too.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{AskRecipient, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let adder: AskRecipient<CounterAdd, u64> = counter.ask_recipient();
    /// assert_eq!(adder.ask(CounterAdd { n: 1 }).timeout(Duration::from_secs(5)).await?, 1);
    /// let task = tokio::spawn(adder.ask(CounterAdd { n: 1 }).into_owned());
    /// assert_eq!(task.await??, 2);
    /// # Ok(()) }
    /// ```
    #[must_use = "an ask does nothing until it is awaited"]
    pub struct RecipientAsk<'r, M, T, E>
    where
        M: Send,
        M: 'static,
        T: 'static,
        E: 'static,
    {
        #[pin]
        ask: Asked<'r, M, T, E>,
    }
}

/// By where the actor is. What variants there are differs by feature, which `pin_project!` does not
/// take.
macro_rules! asked {
    ($($far:tt)*) => {
        pin_project! {
            #[project = AskedPlace]
            enum Asked<'r, M, T, E>
            where
                M: Send,
                M: 'static,
                T: 'static,
                E: 'static,
            {
                Here { #[pin] ask: Near<'r, M, T, E> },
                $($far)*
            }
        }
    };
}

#[cfg(feature = "remote")]
asked!(Far { ask: Box<dyn FarAsk<T, E>> },);
#[cfg(not(feature = "remote"))]
asked!();

pin_project! {
    struct Near<'r, M, T, E>
    where
        M: Send,
        M: 'static,
        T: 'static,
        E: 'static,
    {
        #[pin]
        ask: Asking<'r, M>,
        // That of the ask's target.
        way: &'static Way<M, T, E>,
    }
}

impl<'r, M: Send + 'static, T, E> RecipientAsk<'r, M, T, E> {
    /// The way is that of the target.
    pub(super) fn here(target: &'r Target, way: &'static Way<M, T, E>, message: M) -> Self {
        let ask = LocalAsk::new(target, message);
        let ask = Near { ask, way };
        Self {
            ask: Asked::Here { ask },
        }
    }

    #[cfg(feature = "remote")]
    pub(super) fn far(ask: Box<dyn FarAsk<T, E>>) -> Self {
        Self {
            ask: Asked::Far { ask },
        }
    }

    fn watch(&mut self, watch: Watch) {
        match &mut self.ask {
            Asked::Here { ask } => ask.ask.watch(watch),
            // What another process waits for is not seen here.
            #[cfg(feature = "remote")]
            Asked::Far { .. } => {}
        }
    }

    /// As [`Request::timeout`](crate::Request::timeout).
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`Request::deadline`](crate::Request::deadline).
    ///
    /// # Panics
    ///
    /// As [`RecipientAsk::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// As [`Request::blocking`](crate::Request::blocking).
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

    /// Leaves the ask out of the search for deadlocks, as
    /// [`Request::unchecked`](crate::Request::unchecked).
    pub fn unchecked(mut self) -> Self {
        self.watch(Watch::Off);
        self
    }

    /// An ask that owns its recipient.
    ///
    /// # Panics
    ///
    /// Never in safe code: an ask that was polled is pinned and can't be moved here.
    pub fn into_owned(self) -> RecipientAsk<'static, M, T, E> {
        let ask = match self.ask {
            Asked::Here { ask } => {
                let (ask, way) = (ask.ask.into_owned(), ask.way);
                let ask = Near { ask, way };
                Asked::Here { ask }
            }
            #[cfg(feature = "remote")]
            Asked::Far { ask } => Asked::Far { ask },
        };
        RecipientAsk { ask }
    }
}

impl<M: Send + 'static, T, E> Future for RecipientAsk<'_, M, T, E> {
    type Output = Result<T, AskError<E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().ask.project() {
            AskedPlace::Here { ask } => {
                let this = ask.project();
                // SAFETY: `here`.
                unsafe { (this.way.poll)(this.ask, cx) }
            }
            #[cfg(feature = "remote")]
            AskedPlace::Far { ask } => ask.poll(cx),
        }
    }
}

impl<M: Send + 'static, T, E> Limited for RecipientAsk<'_, M, T, E> {
    fn begin(self: Pin<&mut Self>, due: Due, is_queued: bool) -> Option<Self::Output> {
        match self.project().ask.project() {
            AskedPlace::Here { ask } => {
                let this = ask.project();
                let step = if is_queued { Step::Queue } else { Step::Ask };
                // SAFETY: `here`.
                unsafe { (this.way.begin)(this.ask, due, step) }
            }
            #[cfg(feature = "remote")]
            AskedPlace::Far { ask } => ask.begin(due),
        }
    }

    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        match self.project().ask.project() {
            AskedPlace::Here { ask } => {
                let this = ask.project();
                // SAFETY: `here`.
                unsafe { (this.way.expire)(this.ask, limit) }
            }
            #[cfg(feature = "remote")]
            AskedPlace::Far { ask } => ask.expire(limit),
        }
    }

    fn limit(&mut self) {
        self.watch(Watch::Tell);
    }
}

impl<M: Send + 'static, T, E> Sealed for RecipientAsk<'_, M, T, E> {}

impl<M: Send + 'static, T, E> Ask for RecipientAsk<'_, M, T, E> {
    type Reply = T;
    type Error = E;

    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().ask.project() {
            AskedPlace::Here { ask } => {
                let this = ask.project();
                // SAFETY: `here`.
                unsafe { (this.way.poll_queued)(this.ask, cx) }
            }
            #[cfg(feature = "remote")]
            AskedPlace::Far { ask } => ask.poll(cx),
        }
    }
}

impl<M: Send + 'static, T, E> fmt::Debug for RecipientAsk<'_, M, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipientAsk<{}>", std::any::type_name::<M>())
    }
}
