//! Topics: publish and subscribe.

mod hub;
mod letterbox;
mod options;
mod strays;
mod stream;
mod subscription;
#[cfg(all(test, feature = "macros"))]
mod tests;

use std::fmt;
use std::sync::Arc;

use hub::Hub;
pub use hub::Published;
pub use options::{Lag, SubscribeError, Subscriber};
pub use stream::TopicStream;
pub use subscription::Subscription;

use crate::actor::{Handle, Handler};

/// A topic: who publishes a message need not know who hears of it.
///
/// It is a value, cheap to clone, that is passed to who publishes and who subscribes; it has no
/// name, and ends when its last clone is dropped. Subscribers are actors that handle messages of
/// its type, or of another that is made of it, and streams.
///
/// ```
/// use greenroom::{Topic, actor};
///
/// #[derive(Clone)]
/// pub struct Joined { name: &'static str }
///
/// #[actor]
/// struct Guestbook { names: Vec<&'static str> }
///
/// #[actor]
/// impl Guestbook {
///     #[message]
///     fn on_joined(&mut self, joined: Joined) { self.names.push(joined.name); }
///     fn names(&self) -> Vec<&'static str> { self.names.clone() }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let (joins, book) = (Topic::new(), Guestbook { names: vec![] }.spawn());
/// joins.subscribe(&book)?;
/// joins.publish(Joined { name: "Ada" });
/// joins.publish(Joined { name: "Alan" });
/// assert_eq!(book.names().await?, ["Ada", "Alan"]);
/// # Ok(()) }
/// ```
///
/// # What it promises
///
/// - **Nobody waits.** Publishing never waits for a subscriber. What a slow one has not taken waits
///   in a buffer of its own; what has no room there is dropped and counted, or ends the
///   subscription, as [`Lag`] says.
/// - **One order.** All subscribers get messages in the same order, in which those of one task are
///   in the order in which it has published them. What a task sends an actor after it has published
///   comes after the message, within the normal lane.
/// - **No slots.** For an actor a message that waits is an entry in its mailbox, which holds no
///   slot. So a full mailbox delays nothing, and all is bounded by the buffers. What subscriptions
///   leave that are ended is, too: see [`SubscribeError::Behind`].
/// - **Weak.** A subscription keeps no actor running. It ends with its actor, however that ends,
///   and outlives a restart in place.
///
/// The message is shared, and cloned for each subscriber but the last as that takes it: where a
/// clone is dear, publish an [`Arc`].
pub struct Topic<M: 'static>(Arc<Hub<M>>);

impl<M: Clone + Send + Sync + 'static> Topic<M> {
    /// A topic.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Hub::new(false)))
    }

    /// A topic that keeps its last message: a new subscriber gets that first, and then all that
    /// come after, without a gap.
    ///
    /// ```
    /// # use greenroom::Topic;
    /// # #[tokio::main] async fn main() {
    /// let level = Topic::keeping_last();
    /// level.publish(3);
    /// level.publish(4);
    /// let mut late = level.stream();
    /// level.publish(5);
    /// assert_eq!((late.next().await, late.next().await), (Some(4), Some(5)));
    /// # }
    /// ```
    #[must_use]
    pub fn keeping_last() -> Self {
        Self(Arc::new(Hub::new(true)))
    }

    /// Publishes a message. Returns at once, and says how many it has reached.
    pub fn publish(&self, message: M) -> Published {
        self.0.publish(message)
    }

    /// Has an actor handle the messages, with the default options: see [`Topic::subscriber`].
    ///
    /// They are handled as if told, between the actor's other messages. One that subscribes twice
    /// gets them twice; so does one whose start hook subscribes, once it was restarted, for
    /// subscriptions outlive restarts. Subscribe a supervisor's child from outside, by its handle.
    ///
    /// # Errors
    ///
    /// When the actor has ended, or is too far [behind](SubscribeError::Behind).
    pub fn subscribe<A: Handler<M>>(
        &self,
        actor: &Handle<A>,
    ) -> Result<Subscription<M>, SubscribeError> {
        self.subscriber().actor(actor)
    }

    /// A subscription with options.
    pub fn subscriber(&self) -> Subscriber<'_, M> {
        Subscriber::new(self)
    }

    /// A stream of the messages, with the default options.
    pub fn stream(&self) -> TopicStream<M> {
        TopicStream::new(self, options::Options::default())
    }

    /// The last message, if the topic keeps it.
    #[must_use]
    pub fn last(&self) -> Option<M> {
        self.0.last().map(Arc::unwrap_or_clone)
    }

    /// How many subscriptions there are.
    #[must_use]
    pub fn subscribers(&self) -> usize {
        self.0.len()
    }

    fn hub(&self) -> &Arc<Hub<M>> {
        &self.0
    }
}

impl<M: Clone + Send + Sync + 'static> Default for Topic<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: 'static> Clone for Topic<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M: 'static> fmt::Debug for Topic<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Topic")
            .field("subscribers", &self.0.len())
            .finish_non_exhaustive()
    }
}
