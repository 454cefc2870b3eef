//! The way back to an asker, in the hands of somebody other than its handler.

use std::marker::PhantomData;

use super::exit::ExitReason;
use super::origin::Origin;
use super::outcome::{Outcome, Setback};
use crate::contain::contain;
use crate::reply::ReplyEnd;

/// The way back of an ask that gives a `T` or an `E`.
pub struct WayTo<T, E> {
    /// E2: of a slot for an `Outcome<T, E>`.
    end: ReplyEnd,
    origin: Origin,
    _asker: PhantomData<fn(T, E)>,
}

impl<T: Send + 'static, E: Send + 'static> WayTo<T, E> {
    /// # Safety
    ///
    /// - The end is of a slot for an `Outcome<T, E>`.
    pub(super) unsafe fn from_parts(end: ReplyEnd, origin: Origin) -> Self {
        Self {
            end,
            origin,
            _asker: PhantomData,
        }
    }

    pub(super) fn into_parts(self) -> (ReplyEnd, Origin) {
        (self.end, self.origin)
    }

    /// Answers. Gives the result back if nobody will read it.
    pub(super) fn answer(self, result: Result<T, E>) -> Option<Result<T, E>> {
        let outcome = Outcome(result.map_err(Setback::Handler));
        // SAFETY: E2: the slot is for an `Outcome<T, E>`.
        let unread = unsafe { self.end.send(outcome) }?;
        self.origin.note_late_reply();
        Some(unread.0.map_err(|setback| match setback {
            Setback::Handler(error) => error,
            _ => unreachable!("it is what was sent"),
        }))
    }

    /// Tells the asker that there will be no reply.
    pub(super) fn interrupt(self, reason: Option<ExitReason>) {
        let outcome: Outcome<T, E> = Outcome(Err(Setback::Interrupted(reason)));
        // SAFETY: E2: the slot is for an `Outcome<T, E>`.
        let unread = unsafe { self.end.send(outcome) };
        contain(|| drop(unread));
    }
}
