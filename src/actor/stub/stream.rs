//! Replies that are streams, given by hand.

use std::any::type_name;
use std::fmt;

use super::Stub;
use crate::actor::origin::Origin;
use crate::actor::stream::{Feed, ReplyStream};

impl<A> Stub<A> {
    /// A stream to reply with, and who feeds it.
    ///
    /// ```
    /// # use futures::{Stream, stream};
    /// # use greenroom::actor;
    /// # #[actor] struct Log { lines: Vec<String> }
    /// # #[actor] impl Log {
    /// #     fn read(&mut self) -> impl Stream<Item = String> { stream::iter(self.lines.clone()) }
    /// # }
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), greenroom::Error> {
    /// let (log, mut stub) = greenroom::testing::stub::<Log>();
    /// let asked = log.read().enqueue().await?;
    /// let (LogRead, reply) = stub.next().await?;
    /// let (feed, lines) = stub.stream();
    /// reply.send(lines).expect("somebody waits for it");
    /// let mut lines = asked.await?;
    /// feed.give("one".to_owned()).await.expect("somebody reads it");
    /// assert_eq!(lines.next().await.transpose()?, Some("one".to_owned()));
    /// feed.finish().await;
    /// assert!(lines.next().await.is_none());
    /// # Ok(()) }
    /// ```
    pub fn stream<T: Send + 'static>(&self) -> (StreamFeed<T>, ReplyStream<T>) {
        let origin = Origin::new(self.cell.unit().clone(), type_name::<A>);
        let (stream, feed) = ReplyStream::by_hand(origin);
        (StreamFeed(feed), stream)
    }
}

/// Who feeds a stream that [`Stub::stream`] gave. Dropped before it is finished, it cuts the stream
/// short: the last item is an error, as if the actor had ended.
#[must_use = "the stream is cut short when this is dropped"]
pub struct StreamFeed<T>(Feed<T>);

impl<T> StreamFeed<T> {
    /// Gives an item. Waits while [`STREAM_BUFFER`](crate::limits::STREAM_BUFFER) are unread.
    ///
    /// # Errors
    ///
    /// Gives it back when the stream was dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, it has given nothing.
    pub async fn give(&self, item: T) -> Result<(), T> {
        self.0.give(item).await
    }

    /// Ends the stream. Waits for room, as for an item.
    pub async fn finish(self) {
        self.0.finish().await;
    }
}

impl<T> fmt::Debug for StreamFeed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamFeed").finish_non_exhaustive()
    }
}
