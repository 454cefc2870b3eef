//! What messages to actors of worlds are on their way, and how a state is saved.

use std::hash::Hasher;
use std::sync::Arc;

use super::fork_actor::ForkActor;
use super::shared::Shared;
use crate::actor::{Context, Handler, Inline, Plain, Shape};
use crate::id::Id;
use crate::mailbox::{Lane, Overflow};

/// A message on its way in a world.
pub struct Carried<M> {
    pub(super) message: M,
    pub(super) flight: Flight,
}

/// Something in flight in a world: until it is dropped, the world is not quiet.
pub(super) struct Flight {
    stage: Arc<Shared>,
    part: Id,
}

impl Flight {
    /// Of one that was counted.
    pub(super) fn new(stage: Arc<Shared>, part: Id) -> Self {
        Self { stage, part }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.stage.land(self.part);
    }
}

// The handler of a message, with its flight over when it returns.
impl<A: ForkActor + Handler<M>, M: Send + 'static> Handler<Carried<M>> for A {
    type Reply = <A as Handler<M>>::Reply;
    type Shape = <A as Handler<M>>::Shape;
    const SYNC: bool = <A as Handler<M>>::SYNC;
    const INLINE: Inline = <A as Handler<M>>::INLINE;
    const DETACHED: bool = <A as Handler<M>>::DETACHED;
    const READS: bool = <A as Handler<M>>::READS;
    const LANE: Lane = <A as Handler<M>>::LANE;
    const OVERFLOW: Option<Overflow> = <A as Handler<M>>::OVERFLOW;
    const WEIGHS: bool = <A as Handler<M>>::WEIGHS;
    const REENTRANT: bool = <A as Handler<M>>::REENTRANT;
    const STREAMS: bool = <A as Handler<M>>::STREAMS;

    fn weigh(carried: &Carried<M>) -> usize {
        <A as Handler<M>>::weigh(&carried.message)
    }

    fn key(carried: &Carried<M>, state: &mut impl Hasher) {
        <A as Handler<M>>::key(&carried.message, state);
    }

    fn handle(
        &mut self,
        carried: Carried<M>,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = Self::Reply> + Send {
        let Carried { message, flight } = carried;
        let handling = <A as Handler<M>>::handle(self, message, ctx);
        async move {
            let reply = handling.await;
            drop(flight);
            reply
        }
    }

    fn handle_now(&mut self, carried: Carried<M>, ctx: &mut Context<Self>) -> Self::Reply {
        let Carried { message, flight } = carried;
        let reply = <A as Handler<M>>::handle_now(self, message, ctx);
        drop(flight);
        reply
    }

    fn handle_shared(
        &self,
        carried: Carried<M>,
        ctx: &Context<Self>,
    ) -> impl Future<Output = Self::Reply> + Send {
        let Carried { message, flight } = carried;
        let handling = <A as Handler<M>>::handle_shared(self, message, ctx);
        async move {
            let reply = handling.await;
            drop(flight);
            reply
        }
    }

    fn handle_shared_now(&self, carried: Carried<M>, ctx: &Context<Self>) -> Self::Reply {
        let Carried { message, flight } = carried;
        let reply = <A as Handler<M>>::handle_shared_now(self, message, ctx);
        drop(flight);
        reply
    }

    fn handle_stream(
        &mut self,
        carried: Carried<M>,
        ctx: &mut Context<Self>,
        feed: <Self::Shape as Shape<Self::Reply>>::Feed,
    ) -> impl Future<Output = ()> + Send {
        let Carried { message, flight } = carried;
        let handling = <A as Handler<M>>::handle_stream(self, message, ctx, feed);
        async move {
            handling.await;
            drop(flight);
        }
    }
}

/// Asks an actor for its state, to be saved.
pub struct Collect;

impl<A: ForkActor> Handler<Collect> for A {
    type Reply = A;
    type Shape = Plain;
    const SYNC: bool = true;
    const INLINE: Inline = Inline::Always;

    fn handle(
        &mut self,
        collect: Collect,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = A> + Send {
        std::future::ready(<A as Handler<Collect>>::handle_now(self, collect, ctx))
    }

    fn handle_now(&mut self, _: Collect, _: &mut Context<Self>) -> A {
        self.clone()
    }
}
