//! A topic's messages for who is no actor.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use futures_core::Stream;

use super::Topic;
use super::hub::Hub;
use super::letterbox::Letterbox;
use super::options::Options;
use crate::contain::contain;

/// The messages of a topic from the subscription on, in order. Made by [`Topic::stream`].
///
/// It ends when the topic has gone or the subscription is disconnected, after what waits. Dropped,
/// it is gone: the topic keeps nothing for it.
#[must_use = "messages are kept for it until it is dropped"]
pub struct TopicStream<M: 'static> {
    hub: Weak<Hub<M>>,
    letterbox: Arc<Letterbox<M>>,
}

impl<M: Clone + Send + Sync + 'static> TopicStream<M> {
    pub(super) fn new(topic: &Topic<M>, options: Options<M>) -> Self {
        let letterbox = topic.hub().add(options, None);
        Self {
            hub: Arc::downgrade(topic.hub()),
            letterbox,
        }
    }

    /// Waits for the next message. `None` when there will be none.
    ///
    /// Cancel safety: dropped, it loses none.
    pub async fn next(&mut self) -> Option<M> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// How many messages were dropped because they were not read in time.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.letterbox.dropped()
    }

    /// How many messages wait to be read.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.letterbox.waiting()
    }

    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<M>> {
        let mut waker = Some(cx.waker().clone());
        let polled = self.letterbox.poll(&mut waker);
        contain(|| drop(waker));
        match polled {
            Ok(None) => Poll::Pending,
            Ok(Some(message)) => Poll::Ready(Some(Arc::unwrap_or_clone(message))),
            Err(()) => Poll::Ready(None),
        }
    }
}

impl<M: Clone + Send + Sync + 'static> Stream for TopicStream<M> {
    type Item = M;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<M>> {
        self.poll_message(cx)
    }
}

impl<M: 'static> Drop for TopicStream<M> {
    fn drop(&mut self) {
        self.letterbox.close();
        if let Some(hub) = self.hub.upgrade() {
            hub.remove(&self.letterbox);
        }
    }
}

impl<M: 'static> fmt::Debug for TopicStream<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TopicStream")
            .field("waiting", &self.letterbox.waiting())
            .field("dropped", &self.letterbox.dropped())
            .finish_non_exhaustive()
    }
}
