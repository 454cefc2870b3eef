//! Messages that are forwarded with who asked another actor.

use super::parcel::fits;
use super::{Bare, EntryFor, Envelope, OutcomeOf, Parcel};
use crate::actor::dead_letters::HandedBack;
use crate::actor::outcome::{Outcome, Setback};
use crate::actor::traits::Handler;
use crate::pool::PoolBox;
use crate::reply::ReplyEnd;

impl<M: Send + 'static> Parcel<M> {
    /// Seals a message for `A` with a way back whose asker has asked another: what is wrong says
    /// whose fault it is. The way is that of an `M` to `A` (E2).
    pub(in crate::actor) fn seal_forwarded<A: Handler<M>>(message: M, end: ReplyEnd) -> Self {
        let reply = Some(end);
        if const { fits::<A, M>() } {
            Self::Bare(Envelope {
                entry: &EntryFor::<A, M, Bare<M>>::FORWARDED,
                reply,
                carried: Bare(message),
            })
        } else {
            Self::Boxed(Envelope {
                entry: &EntryFor::<A, M, PoolBox<M>>::FORWARDED,
                reply,
                carried: PoolBox::new(message),
            })
        }
    }

    /// Takes message and way back out of what is sealed.
    pub(in crate::actor) fn open_all(self) -> Option<(M, Option<ReplyEnd>)> {
        match self {
            Self::Empty => None,
            Self::Loose(message) => Some((message, None)),
            Self::Bare(envelope) => Some((envelope.carried.0, envelope.reply)),
            Self::Boxed(envelope) => Some((envelope.carried.into_inner(), envelope.reply)),
        }
    }
}

/// Hands a message back to who asked.
///
/// # Safety
///
/// - The way is that of an `M` to `A` (E2).
pub(in crate::actor) unsafe fn refuse<A: Handler<M>, M: Send + 'static>(
    end: ReplyEnd,
    message: HandedBack,
) {
    let outcome: OutcomeOf<A, M> = Outcome(Err(Setback::NotHandled(message)));
    // SAFETY: the caller.
    drop(unsafe { end.send(outcome) });
}
