//! What may be given as a reply by hand.

use crate::actor::shape::{Flat, Shape};
use crate::actor::traits::Handler;
use crate::actor::way::WayTo;
use crate::actor::{Deferred, Delegated, Fallible, Plain, ReplyStream, ReplyTo, Streamed};

/// The shape of replies that can be given by hand.
pub trait ByHand<Reply>: Shape<Reply> {
    /// What is given: the reply, or what it stands for if it comes later.
    type Given: Send + 'static;

    /// The right to answer who asked.
    #[doc(hidden)]
    fn by_hand(way: Option<WayTo<Self::Ok, Self::Err>>) -> ReplyTo<Self::Given>;
}

/// What answers an `M` to an `A`.
pub type Given<A, M> = <<A as Handler<M>>::Shape as ByHand<<A as Handler<M>>::Reply>>::Given;

impl<T: Send + 'static> ByHand<T> for Plain {
    type Given = T;

    fn by_hand(way: Option<WayTo<Self::Ok, Self::Err>>) -> ReplyTo<T> {
        delegate::<T, Self>(way)
    }
}

impl<T: Send + 'static, E: Send + 'static> ByHand<Result<T, E>> for Fallible {
    type Given = Result<T, E>;

    fn by_hand(way: Option<WayTo<T, E>>) -> ReplyTo<Result<T, E>> {
        delegate::<Result<T, E>, Self>(way)
    }
}

impl<T: Send + 'static, S: Flat<T>> ByHand<Delegated<T>> for Deferred<S> {
    type Given = T;

    fn by_hand(way: Option<WayTo<Self::Ok, Self::Err>>) -> ReplyTo<T> {
        delegate::<T, S>(way)
    }
}

impl<T: Send + 'static> ByHand<ReplyStream<T>> for Streamed {
    type Given = ReplyStream<T>;

    fn by_hand(way: Option<WayTo<Self::Ok, Self::Err>>) -> ReplyTo<ReplyStream<T>> {
        delegate::<ReplyStream<T>, Plain>(way)
    }
}

fn delegate<T: Send + 'static, S: Flat<T>>(way: Option<WayTo<S::Ok, S::Err>>) -> ReplyTo<T> {
    let (reply, later) = Delegated::new();
    match way {
        Some(way) => <Deferred<S> as Shape<Delegated<T>>>::link(later, way),
        None => drop(later),
    }
    reply
}
