//! Replies that are many: a stream that the handler feeds.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as TaskContext, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;

use super::context::Context;
use super::error::Interrupted;
use super::origin::Origin;
use super::shape::Shape;
use super::traits::Sealed;
use crate::error::Error;
use crate::limits::STREAM_BUFFER;

/// The items of a method that returns `impl Stream<Item = T>`, as its asker gets them.
///
/// The asker has it as soon as the handler begins, which then waits whenever
/// [`STREAM_BUFFER`] items have not been read. Each item is an `Ok`; the stream's own end is the
/// end. If the actor ends before, or the handler panics, the last item is an `Err` instead, so that
/// the one is not taken for the other. To drop it is to drop the actor's stream.
///
/// ```
/// use futures::Stream;
/// use greenroom::actor;
/// # use futures::stream;
///
/// #[actor]
/// struct Log {
///     lines: Vec<String>,
/// }
///
/// #[actor]
/// impl Log {
///     /// It borrows the log, so the actor is busy until it is read, or dropped.
///     fn read(&mut self) -> impl Stream<Item = String> {
///         stream::iter(self.lines.iter().cloned())
///     }
///
///     /// It borrows nothing, and runs beside the actor, as long as that does.
///     fn copies(&self, n: usize) -> impl Stream<Item = Vec<String>> + use<> {
///         stream::iter(std::iter::repeat_n(self.lines.clone(), n))
///     }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let log = Log { lines: vec!["one".into(), "two".into()] }.spawn();
/// let mut lines = log.read().await?;
/// assert_eq!(lines.next().await.transpose()?, Some("one".into()));
/// assert_eq!(lines.next().await.transpose()?, Some("two".into()));
/// assert!(lines.next().await.is_none());
/// assert_eq!(log.copies(3).await?.next().await.unwrap()?.len(), 2);
/// # Ok(()) }
/// ```
#[must_use = "the actor's stream is dropped with it"]
pub struct ReplyStream<T> {
    /// `None` is the stream's own end.
    items: mpsc::Receiver<Option<T>>,
    tail: Tail,
}

/// What comes after the items.
enum Tail {
    /// If they are cut short: what the actor's end says.
    OfActor(Origin),
    /// The same, for a task beside the actor, which may end by itself.
    OfTask(Origin),
    /// They were cut short by the end of the actor, which is still at it.
    Ending(Pin<Box<dyn Future<Output = Interrupted> + Send + Sync>>),
    /// Nothing.
    Over,
}

impl<T: Send + 'static> ReplyStream<T> {
    fn new(tail: Tail) -> (Self, Feed<T>) {
        let (sender, items) = mpsc::channel(STREAM_BUFFER);
        (Self { items, tail }, Feed(sender))
    }

    /// A stream that is fed by hand, in place of an actor.
    #[cfg(feature = "test-util")]
    pub(super) fn by_hand(origin: Origin) -> (Self, Feed<T>) {
        Self::new(Tail::OfTask(origin))
    }

    /// Has a stream run as a task beside the actor: it is dropped when the actor ends, or when the
    /// result is.
    ///
    /// It is what `#[actor]` does with a stream that captures nothing, and what a hand-written
    /// handler can do with any.
    ///
    /// ```
    /// use greenroom::{Context, Handler, Plain, ReplyStream, actor};
    /// # use futures::stream;
    ///
    /// # #[actor] struct Clock;
    /// # #[actor] impl Clock {}
    /// struct Ticks(u32);
    ///
    /// impl Handler<Ticks> for Clock {
    ///     type Reply = ReplyStream<u32>;
    ///     type Shape = Plain;
    ///
    ///     async fn handle(&mut self, Ticks(n): Ticks, ctx: &mut Context<Self>) -> Self::Reply {
    ///         ReplyStream::detached(ctx, stream::iter(0..n))
    ///     }
    /// }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let mut ticks = Clock.spawn().ask(Ticks(3)).await?;
    /// assert_eq!(ticks.next().await.transpose()?, Some(0));
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, where no handler is.
    pub fn detached<A>(ctx: &Context<A>, stream: impl Stream<Item = T> + Send + 'static) -> Self {
        let (replies, feed) = Self::new(Tail::OfTask(ctx.origin()));
        // Nobody waits for it.
        drop(ctx.belongings().spawn(feed.by(stream)));
        replies
    }

    /// The next item; `None` after the last.
    ///
    /// # Errors
    ///
    /// When the stream was cut short, once: then comes its end.
    ///
    /// # Cancel safety
    ///
    /// No item is lost if it is dropped.
    pub async fn next(&mut self) -> Option<Result<T, Interrupted>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<T> Stream for ReplyStream<T> {
    type Item = Result<T, Interrupted>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        if let Tail::OfActor(_) | Tail::OfTask(_) = self.tail {
            match ready!(self.items.poll_recv(cx)) {
                Some(Some(item)) => return Poll::Ready(Some(Ok(item))),
                Some(None) => self.tail = Tail::Over,
                None => {}
            }
        }
        self.tail.poll(cx).map(|cut| cut.map(Err))
    }
}

impl Tail {
    fn poll(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Interrupted>> {
        let mut ending = match std::mem::replace(self, Self::Over) {
            Self::Over => return Poll::Ready(None),
            Self::OfTask(origin) => return Poll::Ready(Some(origin.interrupted())),
            // A handler that panics drops its stream before it is known what its actor ends of.
            Self::OfActor(origin) => Box::pin(async move {
                origin.wait().await;
                origin.interrupted()
            }),
            Self::Ending(ending) => ending,
        };
        match ending.as_mut().poll(cx) {
            Poll::Ready(cut) => Poll::Ready(Some(cut)),
            Poll::Pending => {
                *self = Self::Ending(ending);
                Poll::Pending
            }
        }
    }
}

impl From<Interrupted> for Error {
    fn from(error: Interrupted) -> Self {
        Self::new(error)
    }
}

impl<T> fmt::Debug for ReplyStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyStream").finish_non_exhaustive()
    }
}

/// Where a handler puts the items of its stream. Dropped before the stream's end, it leaves the
/// asker with an error.
pub struct Feed<T>(mpsc::Sender<Option<T>>);

impl<T> Feed<T> {
    /// Passes on all items of the stream, or as many as somebody reads. An item is made when there
    /// is room for it.
    pub async fn by(self, stream: impl Stream<Item = T>) {
        let mut stream = pin!(stream);
        let mut unread = pin!(self.0.closed());
        while let Ok(room) = self.0.reserve().await {
            let next = poll_fn(|cx| match unread.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => stream.as_mut().poll_next(cx).map(Some),
            });
            let Some(item) = next.await else { return };
            let is_last = item.is_none();
            room.send(item);
            if is_last {
                return;
            }
        }
    }
}

#[cfg(feature = "test-util")]
impl<T> Feed<T> {
    /// Passes on an item, or gives it back if nobody reads it.
    pub(super) async fn give(&self, item: T) -> Result<(), T> {
        match self.0.reserve().await {
            Ok(room) => {
                room.send(Some(item));
                Ok(())
            }
            Err(_) => Err(item),
        }
    }

    /// The stream's own end.
    pub(super) async fn finish(self) {
        // Who read it may have gone.
        let _ = self.0.send(None).await;
    }
}

/// The shape of a stream that its handler feeds as long as it lasts.
#[derive(Debug)]
pub enum Streamed {}

impl Sealed for Streamed {}

impl<T: Send + 'static> Shape<ReplyStream<T>> for Streamed {
    type Ok = ReplyStream<T>;
    type Err = Infallible;
    type Feed = Feed<T>;

    fn now(reply: ReplyStream<T>) -> Result<Result<ReplyStream<T>, Infallible>, ReplyStream<T>> {
        Ok(Ok(reply))
    }

    fn open(origin: Origin) -> (ReplyStream<T>, Feed<T>) {
        ReplyStream::new(Tail::OfActor(origin))
    }
}
