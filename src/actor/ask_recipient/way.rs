//! What an ask does that knows its actor's type no more.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::actor::envelope::Parcel;
use crate::actor::error::AskError;
use crate::actor::local::{LocalAsk, Step};
use crate::actor::recipient::SealFor;
use crate::actor::timed::Due;
use crate::actor::traits::{ErrOf, Handler, OkOf};

/// An actor of a type that is not known here.
pub(super) enum Someone {}

/// An ask of it.
pub(super) type Asking<'r, M> = LocalAsk<'r, Someone, M>;

/// The type of actor that an ask is for, as functions.
///
/// `# Safety` of each: the ask's target is of the type that the way was made for.
pub(super) struct Way<M: Send + 'static, T, E> {
    pub(super) seal: SealFor<M>,
    pub(super) poll: Polls<M, T, E>,
    pub(super) poll_queued: Polls<M, T, E>,
    pub(super) begin: Begins<M, T, E>,
    pub(super) expire: Expires<M, T, E>,
}

// SAFETY, of who calls: as `Way` says.
type Expires<M, T, E> = unsafe fn(Pin<&mut Asking<'_, M>>, Duration) -> Result<T, AskError<E>>;

// SAFETY, of who calls: as `Way` says.
type Begins<M, T, E> =
    unsafe fn(Pin<&mut Asking<'_, M>>, Due, Step) -> Option<Result<T, AskError<E>>>;

// SAFETY, of who calls: as `Way` says.
type Polls<M, T, E> =
    unsafe fn(Pin<&mut Asking<'_, M>>, &mut Context<'_>) -> Poll<Result<T, AskError<E>>>;

struct WayTo<A, M>(PhantomData<fn(A, M)>);

impl<A: Handler<M>, M: Send + 'static> WayTo<A, M> {
    const WAY: Way<M, OkOf<A, M>, ErrOf<A, M>> = Way {
        seal: Parcel::seal::<A>,
        // SAFETY: of each: the caller.
        poll: |ask, cx| unsafe { ask.known_as::<A>() }.poll_ask(cx),
        // SAFETY: as above.
        poll_queued: |ask, cx| unsafe { ask.known_as::<A>() }.poll_queued(cx),
        // SAFETY: as above.
        begin: |ask, due, step| unsafe { ask.known_as::<A>() }.begin_limited(Some(due), step),
        // SAFETY: as above.
        expire: |ask, limit| unsafe { ask.known_as::<A>() }.expire(limit),
    };
}

/// The way of `M` to `A`.
pub(super) fn way_to<A: Handler<M>, M: Send + 'static>() -> &'static Way<M, OkOf<A, M>, ErrOf<A, M>>
{
    &WayTo::<A, M>::WAY
}
