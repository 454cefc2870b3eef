//! What a handler's result, or the want of one, becomes on its way back.

use std::any::type_name;

use super::WayBack;
use crate::actor::landing::{Landing, pass_on};
use crate::actor::outcome::{Outcome, Setback};
use crate::actor::running::Running;
use crate::actor::shape::Shape;
use crate::actor::traits::{ErrOf, Handler, OkOf};
use crate::contain::contain;
use crate::reply::ReplyEnd;

/// What a reply slot or place for `M` to `A` takes.
pub(in crate::actor) type OutcomeOf<A, M> = Outcome<OkOf<A, M>, ErrOf<A, M>>;

/// Sends a handler's reply to whoever asked.
#[inline]
pub(super) fn answer<A: Handler<M>, M: Send + 'static>(running: Running, reply: A::Reply) {
    match <A::Shape as Shape<A::Reply>>::now(reply) {
        Ok(result) => give::<A, M>(running, running.end(), result),
        Err(late) => pass_on::<A, M>(running, late),
    }
}

/// Gives a result to whoever asked; the way is that of an `M` to an `A` (E2).
#[inline]
pub(in crate::actor) fn give<A: Handler<M>, M: Send + 'static>(
    running: Running,
    way: WayBack,
    result: Result<OkOf<A, M>, ErrOf<A, M>>,
) {
    match way {
        WayBack::None => {
            if result.is_err() {
                running.note_unread_error::<M>();
            }
            contain(|| drop(result));
        }
        // By itself, so that the reply is written to its place at once.
        // SAFETY: E3: the place lives, is empty, and is of this type by E2.
        WayBack::Here(place) => unsafe {
            place
                .cast::<Landing<A, M>>()
                .write(Landing::Answered(Outcome(result.map_err(Setback::Handler))));
        },
        // SAFETY: E2: the slot is that of this `M` to this `A`.
        WayBack::Slot(end) => unsafe { post::<A, M>(running, end, result) },
    }
}

/// # Safety
///
/// - The end is that of an `M` to an `A` (E2).
#[inline(never)]
unsafe fn post<A: Handler<M>, M: Send + 'static>(
    running: Running,
    end: ReplyEnd,
    result: Result<OkOf<A, M>, ErrOf<A, M>>,
) {
    let outcome: OutcomeOf<A, M> = Outcome(result.map_err(Setback::Handler));
    // SAFETY: the caller.
    if let Some(unread) = unsafe { end.send(outcome) } {
        running.head().note_late_reply(type_name::<M>);
        contain(|| drop(unread));
    }
}

/// # Safety
///
/// - The way is that of an `M` to an `A` (E2).
pub(super) unsafe fn send<A: Handler<M>, M: Send + 'static>(
    way: WayBack,
    result: Result<OkOf<A, M>, Setback<ErrOf<A, M>>>,
) {
    let outcome: OutcomeOf<A, M> = Outcome(result);
    match way {
        WayBack::None => contain(|| drop(outcome)),
        WayBack::Slot(end) => {
            // SAFETY: the caller.
            if let Some(unread) = unsafe { end.send(outcome) } {
                contain(|| drop(unread));
            }
        }
        // SAFETY: E3: the place lives, is empty, and is of this type by E2.
        WayBack::Here(place) => unsafe {
            place
                .cast::<Landing<A, M>>()
                .write(Landing::Answered(outcome));
        },
    }
}
