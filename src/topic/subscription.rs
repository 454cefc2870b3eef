//! A subscription of an actor.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

use super::Topic;
use super::hub::Hub;
use super::letterbox::{Letterbox, Reader};
use super::options::{Options, SubscribeError};
use super::strays::Strays;
use crate::actor::{Due, Handle, Handler, Visit, WeakHandle};
use crate::ending::{Key, Order};

/// A subscription of an actor to a topic: the right to end it, and its counters.
///
/// Dropped, it changes nothing: the subscription lasts until the actor or the topic ends.
pub struct Subscription<M: 'static> {
    hub: Weak<Hub<M>>,
    pub(super) letterbox: Arc<Letterbox<M>>,
}

/// The way to an actor.
struct Way<A, M, N, F> {
    actor: WeakHandle<A>,
    map: F,
    strays: Arc<Strays>,
    _types: PhantomData<fn(M) -> N>,
}

/// The actor comes for a message. There is no letterbox any more when it was found.
struct Visitor<A, M: 'static, N, F>(Option<Arc<Letterbox<M>>>, PhantomData<fn(A, F) -> N>);

impl<A, M: 'static, N, F> Drop for Visitor<A, M, N, F> {
    fn drop(&mut self) {
        if let Some(letterbox) = self.0.take() {
            letterbox.miss();
        }
    }
}

impl<A, M, N, F> Visit for Visitor<A, M, N, F>
where
    A: Handler<N>,
    M: Clone + Send + Sync + 'static,
    N: Send + 'static,
    F: Fn(M) -> N + Send + Sync + 'static,
{
    type Found = Arc<M>;
    type Message = N;

    fn find(&self) -> Option<Arc<M>> {
        self.0.as_ref()?.take()
    }

    fn make(mut self, found: Arc<M>) -> N {
        let letterbox = self.0.take();
        let way = letterbox.as_ref().and_then(|letterbox| letterbox.reader());
        let way: &Way<A, M, N, F> = way.expect("the reader that sent the visit");
        (way.map)(Arc::unwrap_or_clone(found))
    }
}

impl<A, M, N, F> Reader<M> for Way<A, M, N, F>
where
    A: Handler<N>,
    M: Clone + Send + Sync + 'static,
    N: Send + 'static,
    F: Fn(M) -> N + Send + Sync + 'static,
{
    fn call(&self, letterbox: Arc<Letterbox<M>>) -> Option<Due> {
        let visitor = Visitor::<A, M, N, F>(Some(letterbox), PhantomData);
        let sent = self.actor.send_visit(visitor);
        // One that was not sent misses nothing.
        sent.map_err(|mut visitor| visitor.0.take()).ok()
    }

    fn add_strays(&self, visits: usize) {
        self.strays.add(self.actor.id(), visits);
    }

    fn remove_stray(&self) {
        self.strays.remove(self.actor.id());
    }

    fn notify(&self, due: Due) {
        self.actor.notify(due);
    }

    fn take_back(&self, farewell: Key) {
        let _ = self.actor.head().take_back(farewell);
    }

    fn name(&self) -> String {
        self.actor.identity().to_string()
    }
}

impl<M: Clone + Send + Sync + 'static> Subscription<M> {
    pub(super) fn of_actor<A, N, F>(
        topic: &Topic<M>,
        options: Options<M>,
        actor: &Handle<A>,
        map: F,
    ) -> Result<Self, SubscribeError>
    where
        A: Handler<N>,
        N: Send + 'static,
        F: Fn(M) -> N + Send + Sync + 'static,
    {
        let strays = actor.head().extension::<Strays>();
        if strays.are_too_many(actor.id(), options.buffer) {
            return Err(SubscribeError::Behind);
        }
        let way = Way {
            actor: actor.downgrade(),
            map,
            strays,
            _types: PhantomData,
        };
        let letterbox = topic.hub().add(options, Some(Box::new(way)));
        let subscription = Self {
            hub: Arc::downgrade(topic.hub()),
            letterbox,
        };
        let (hub, letterbox) = (
            Weak::clone(&subscription.hub),
            Arc::downgrade(&subscription.letterbox),
        );
        let said = move |_: &_, _: &_| {
            if let Some(letterbox) = letterbox.upgrade() {
                end(&hub, &letterbox);
            }
        };
        match actor.head().on_end(Order::Name, said) {
            Ok(farewell) => {
                subscription.letterbox.keep(farewell);
                Ok(subscription)
            }
            Err(reason) => {
                end(&subscription.hub, &subscription.letterbox);
                Err(SubscribeError::Ended(reason))
            }
        }
    }
}

impl<M: 'static> Subscription<M> {
    /// Ends the subscription: what waits for the actor is dropped. False if it has ended before.
    pub fn end(&self) -> bool {
        end(&self.hub, &self.letterbox)
    }

    /// Whether messages come in: it was not ended, was not disconnected, and neither the actor nor
    /// the topic has gone.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.letterbox.is_open()
    }

    /// How many messages were dropped for want of room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.letterbox.dropped()
    }

    /// How many messages wait for the actor.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.letterbox.waiting()
    }
}

fn end<M: 'static>(hub: &Weak<Hub<M>>, letterbox: &Arc<Letterbox<M>>) -> bool {
    let was_open = letterbox.close();
    if let Some(hub) = hub.upgrade() {
        hub.remove(letterbox);
    }
    was_open
}

impl<M: 'static> Clone for Subscription<M> {
    fn clone(&self) -> Self {
        Self {
            hub: Weak::clone(&self.hub),
            letterbox: Arc::clone(&self.letterbox),
        }
    }
}

impl<M: 'static> fmt::Debug for Subscription<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("is_active", &self.is_active())
            .field("waiting", &self.waiting())
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}
