//! An actor as a sink of messages.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_sink::Sink;

use super::envelope::Parcel;
use super::error::TellError;
use super::handle::Handle;
use super::recipient::{Recipient, Telling};
use super::sending::Sending;
use super::traits::Handler;

/// Tells what it is fed, in order: a [`Sink`], as `futures` and its combinators use it.
///
/// Made by [`Handle::sink`] and [`Recipient::sink`]. It keeps the actor running.
///
/// ```
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let counter = Counter { count: 0 }.spawn();
/// use futures::{SinkExt, StreamExt, stream};
///
/// let numbers = stream::iter(1..=4).map(|n| CounterAdd { n });
/// let mut sink = counter.sink();
/// numbers.map(Ok).forward(&mut sink).await?;
/// sink.send(CounterAdd { n: 5 }).await?; // done when it is accepted
/// assert_eq!(counter.add(0).await?, 15);
/// # Ok(()) }
/// ```
///
/// # What its states mean
///
/// - *Ready*: what it was fed before was accepted. It holds no slot: a sink that is ready and waits
///   for its next message keeps nobody from sending.
/// - *Fed*: it has at most one message, which takes its turn at the next poll: of readiness, or of
///   a flush.
/// - *Flushed*, and *closed*, which is the same: all it was fed was accepted. Neither waits for a
///   handler, nor stops the actor.
///
/// An error hands back the message that was not accepted, and the sink can be used on.
///
/// # Panics
///
/// When it is fed while it is not ready.
///
/// # Cancel safety
///
/// Whoever drops a future that feeds or flushes it loses nothing: the sink still has its message.
/// Dropping the sink withdraws that.
pub struct TellSink<M: Send + 'static> {
    sending: Pin<Box<Option<Sending<M>>>>,
    telling: Telling<'static, M>,
}

impl<A: 'static> Handle<A> {
    /// The actor as a sink of messages of one type.
    #[must_use]
    pub fn sink<M: Send + 'static>(&self) -> TellSink<M>
    where
        A: Handler<M>,
    {
        let target = Cow::Owned(self.target().clone());
        TellSink::new(Telling::here(target, Parcel::seal::<A>))
    }
}

impl<M: Send + 'static> Recipient<M> {
    /// The actor as a sink.
    #[must_use]
    pub fn sink(&self) -> TellSink<M> {
        TellSink::new(Telling::to(self).into_owned())
    }
}

impl<M: Send + 'static> TellSink<M> {
    fn new(telling: Telling<'static, M>) -> Self {
        let sending = Box::pin(None);
        Self { sending, telling }
    }

    /// Takes back the message that it was fed, if that was not accepted.
    pub fn cancel(&mut self) -> Option<M> {
        let sending = self.sending.as_mut().as_pin_mut()?;
        let message = self.telling.cancel(sending);
        self.sending.set(None);
        message
    }
}

impl<M: Send + 'static> Sink<M> for TellSink<M> {
    type Error = TellError<M>;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>> {
        self.poll_flush(cx)
    }

    fn start_send(mut self: Pin<&mut Self>, message: M) -> Result<(), TellError<M>> {
        assert!(
            self.sending.is_none(),
            "a sink is fed while it is not ready"
        );
        self.sending.set(Some(Sending::new(message)));
        Ok(())
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        let this = &mut *self;
        let Some(sending) = this.sending.as_mut().as_pin_mut() else {
            return Poll::Ready(Ok(()));
        };
        let told = ready!(this.telling.poll(sending, cx));
        this.sending.set(None);
        Poll::Ready(told)
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>> {
        self.poll_flush(cx)
    }
}

impl<M: Send + 'static> fmt::Debug for TellSink<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity = self.telling.identity();
        f.debug_tuple("TellSink").field(&identity).finish()
    }
}
