//! Where the reply of an inline run lands, and how a reply that is late gets from there.

use std::any::type_name;

use super::envelope::{OutcomeOf, WayBack, give};
use super::nesting;
use super::running::{Running, Step};
use super::shape::Shape;
use super::traits::Handler;
use super::way::WayTo;
use crate::contain::contain;
use crate::reply::{self, Receiver, ReplyEnd};

/// What an inline run leaves on its asker's stack.
pub(super) enum Landing<A: Handler<M>, M: Send + 'static> {
    Nothing,
    Answered(OutcomeOf<A, M>),
    /// The handler has ended, and its reply is still to come.
    Late(A::Reply),
}

/// Sees to a reply that comes after its handler, which has ended.
pub(super) fn pass_on<A: Handler<M>, M: Send + 'static>(running: Running, late: A::Reply) {
    match running.end() {
        WayBack::None => contain(|| <A::Shape as Shape<A::Reply>>::told(late)),
        // SAFETY: E3: the place lives, is empty, and is of this type by E2.
        WayBack::Here(place) => unsafe {
            place.cast::<Landing<A, M>>().write(Landing::Late(late));
        },
        WayBack::Slot(end) => link::<A, M>(running, end, late),
    }
}

/// Handles a message whose reply goes out first. The asker has no part in what comes then: neither
/// its limit nor its leaving is the handler's.
///
/// # Safety
///
/// - As of [`handle`](super::envelope::handle).
pub(super) unsafe fn handle_ahead<A: Handler<M>, M: Send + 'static>(
    running: Running,
    message: M,
) -> Step {
    let (reply, feed) = <A::Shape as Shape<A::Reply>>::open(running.origin(type_name::<M>));
    if let Ok(result) = <A::Shape as Shape<A::Reply>>::now(reply) {
        give::<A, M>(running, running.take_way(), result);
    }
    let _unbarred = nesting::unbar();
    // SAFETY: the caller; C4: the state is there before the end.
    let (actor, ctx) = unsafe { running.borrow::<A>() };
    let done = |running: Running, ()| drop(running.end());
    // SAFETY: the caller.
    unsafe { running.place(actor.handle_stream(message, ctx, feed), done) }
}

/// Leads a reply that an inline run left to who waits for it.
pub(super) fn pass_on_later<A: Handler<M>, M: Send + 'static>(
    running: Running,
    late: A::Reply,
) -> Receiver {
    let (end, receiver) = reply::channel::<OutcomeOf<A, M>>();
    link::<A, M>(running, end, late);
    receiver
}

/// The end is that of an `M` to an `A` (E2).
fn link<A: Handler<M>, M: Send + 'static>(running: Running, end: ReplyEnd, late: A::Reply) {
    let origin = running.origin(type_name::<M>);
    // SAFETY: E2: the slot is that of this `M` to this `A`.
    let way = unsafe { WayTo::from_parts(end, origin) };
    <A::Shape as Shape<A::Reply>>::link(late, way);
}
