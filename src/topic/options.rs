//! What may be said of a subscription.

use std::fmt;

use super::Topic;
use super::stream::TopicStream;
use super::subscription::Subscription;
use crate::actor::{ExitReason, Handle, Handler};
use crate::error::Error;
use crate::limits::{TOPIC_BUFFER, TOPIC_BUFFER_MAX};

/// What becomes of a message for a subscriber that is slower than the publishers and has no room.
///
/// Whichever it is, the publisher and the other subscribers go on as if it were fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lag {
    /// The oldest of what waits is dropped. With a buffer of one, the latest message survives. An
    /// actor handles what waits in the turns of what was dropped: perhaps before what the publisher
    /// has told it in between.
    #[default]
    DropOldest,
    /// The message is dropped.
    DropNewest,
    /// The message is dropped, and the subscription ends after what waits: for subscribers that
    /// had better begin anew than have a gap.
    Disconnect,
}

/// Which messages a subscriber wants.
type Filter<M> = Box<dyn Fn(&M) -> bool + Send + Sync>;

/// The options of a subscription.
pub(super) struct Options<M> {
    pub(super) buffer: usize,
    pub(super) lag: Lag,
    pub(super) filter: Option<Filter<M>>,
}

/// A subscription in the making, by [`Topic::subscriber`].
///
/// ```
/// # use greenroom::{Lag, Topic, actor};
/// # #[derive(Clone, Debug)] pub struct Price { cents: u64 }
/// # #[actor] struct Screen { shown: u64 }
/// # #[actor] impl Screen { #[message] fn on_price(&mut self, price: Price) {} }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let screen = Screen { shown: 0 }.spawn();
/// let prices = Topic::new();
/// let subscription = prices
///     .subscriber()
///     .filter(|price: &Price| price.cents >= 100)
///     .buffer(1)
///     .lag(Lag::DropOldest) // a screen that is slow shows the latest
///     .actor(&screen)?;
/// prices.publish(Price { cents: 99 });
/// assert_eq!(prices.publish(Price { cents: 100 }).reached, 1);
/// subscription.end();
/// # Ok(()) }
/// ```
#[must_use = "nobody is subscribed before `.actor(..)` or `.stream()`"]
pub struct Subscriber<'t, M: 'static> {
    topic: &'t Topic<M>,
    options: Options<M>,
}

impl<'t, M: Clone + Send + Sync + 'static> Subscriber<'t, M> {
    pub(super) fn new(topic: &'t Topic<M>) -> Self {
        let options = Options::default();
        Self { topic, options }
    }

    /// Only messages of which this is true; the others take no room.
    ///
    /// It runs on the thread that publishes. If it panics, the subscription ends.
    pub fn filter(self, filter: impl Fn(&M) -> bool + Send + Sync + 'static) -> Self {
        let filter: Option<Filter<M>> = Some(Box::new(filter));
        let options = Options {
            filter,
            ..self.options
        };
        Self { options, ..self }
    }

    /// How many messages wait for the subscriber at most, instead of
    /// [`TOPIC_BUFFER`](crate::limits::TOPIC_BUFFER). They hold no slots of an actor's mailbox.
    pub fn buffer(self, messages: usize) -> Self {
        let options = Options {
            buffer: messages,
            ..self.options
        };
        Self { options, ..self }
    }

    /// What becomes of a message for which there is no room.
    pub fn lag(self, lag: Lag) -> Self {
        let options = Options {
            lag,
            ..self.options
        };
        Self { options, ..self }
    }

    /// Has an actor handle the messages: see [`Topic::subscribe`].
    ///
    /// # Errors
    ///
    /// When the actor has ended or is too far [behind](SubscribeError::Behind), or a buffer can't
    /// have this size.
    pub fn actor<A: Handler<M>>(
        self,
        actor: &Handle<A>,
    ) -> Result<Subscription<M>, SubscribeError> {
        self.actor_map(actor, |message| message)
    }

    /// As [`Subscriber::actor`], for an actor that handles something made of the message: its own
    /// message about it, say. `map` runs as the beginning of its handler.
    ///
    /// ```
    /// # use greenroom::{Topic, actor};
    /// #[actor]
    /// struct Total { cents: u64 }
    ///
    /// #[actor]
    /// impl Total {
    ///     fn add(&mut self, cents: u64) { self.cents += cents; }
    ///     fn sum(&self) -> u64 { self.cents }
    /// }
    ///
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let (sales, total) = (Topic::new(), Total { cents: 0 }.spawn());
    /// sales.subscriber().actor_map(&total, |cents: u64| TotalAdd { cents })?;
    /// sales.publish(250);
    /// assert_eq!(total.sum().await?, 250);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Subscriber::actor`].
    pub fn actor_map<A, N, F>(
        self,
        actor: &Handle<A>,
        map: F,
    ) -> Result<Subscription<M>, SubscribeError>
    where
        A: Handler<N>,
        N: Send + 'static,
        F: Fn(M) -> N + Send + Sync + 'static,
    {
        let options = self.options.check()?;
        Subscription::of_actor(self.topic, options, actor, map)
    }

    /// A stream of the messages, for who is no actor.
    ///
    /// # Errors
    ///
    /// When a buffer can't have this size.
    pub fn stream(self) -> Result<TopicStream<M>, SubscribeError> {
        Ok(TopicStream::new(self.topic, self.options.check()?))
    }
}

impl<M> Default for Options<M> {
    fn default() -> Self {
        Self {
            buffer: TOPIC_BUFFER,
            lag: Lag::default(),
            filter: None,
        }
    }
}

impl<M> Options<M> {
    fn check(self) -> Result<Self, SubscribeError> {
        match self.buffer {
            1..=TOPIC_BUFFER_MAX => Ok(self),
            messages => Err(SubscribeError::Buffer(messages)),
        }
    }
}

impl<M: 'static> fmt::Debug for Subscriber<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber")
            .field("buffer", &self.options.buffer)
            .field("lag", &self.options.lag)
            .finish_non_exhaustive()
    }
}

/// Why somebody was not subscribed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SubscribeError {
    /// The actor has ended.
    Ended(ExitReason),
    /// The actor has yet to pass over what subscriptions that were ended have left in its mailbox:
    /// entries of [`TOPIC_STRAYS_MAX`](crate::limits::TOPIC_STRAYS_MAX) messages or more.
    Behind,
    /// A buffer can't have room for so many messages.
    Buffer(usize),
}

impl fmt::Display for SubscribeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(reason) => write!(f, "the actor has ended: {reason}"),
            Self::Behind => {
                f.write_str("the actor has too much of ended subscriptions to pass over first")
            }
            Self::Buffer(messages) => write!(
                f,
                "a subscription has room for 1 to {TOPIC_BUFFER_MAX} messages, not {messages}"
            ),
        }
    }
}

impl std::error::Error for SubscribeError {}

impl From<SubscribeError> for Error {
    fn from(error: SubscribeError) -> Self {
        Self::new(error)
    }
}
