//! An asker that a handler hands over: its reply comes from elsewhere, without anybody in between.

use std::any::TypeId;

use super::envelope::OutcomeOf;
use super::outcome::Outcome;
use super::traits::Handler;
use super::way::WayTo;
use crate::reply::ReplyEnd;

/// An asker, and what it waits for.
pub(super) struct Asker {
    end: ReplyEnd,
    outcome: TypeId,
}

impl Asker {
    pub(super) fn of<T: Send + 'static, E: Send + 'static>(way: WayTo<T, E>) -> Self {
        let (end, _) = way.into_parts();
        Self {
            end,
            outcome: TypeId::of::<Outcome<T, E>>(),
        }
    }

    /// Who asked for what an `M` to an `A` gives; the end is that (E2).
    #[cfg(feature = "test-util")]
    pub(super) fn new<A: Handler<M>, M: Send + 'static>(end: ReplyEnd) -> Self {
        Self {
            end,
            outcome: TypeId::of::<OutcomeOf<A, M>>(),
        }
    }

    /// The way back, if what it waits for is what an `M` to an `A` gives (E2). Otherwise the asker
    /// is told that there is no reply.
    pub(super) fn into_end<A: Handler<M>, M: Send + 'static>(self) -> Option<ReplyEnd> {
        (self.outcome == TypeId::of::<OutcomeOf<A, M>>()).then_some(self.end)
    }
}

/// Who takes an asker over.
pub(super) trait Heir: Send {
    /// The handler has ended. `None` if nobody asked.
    fn inherit(self: Box<Self>, asker: Option<Asker>);
}
