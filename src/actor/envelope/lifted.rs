//! Messages that are taken out of a mailbox by hand, with who asked.

use std::any::type_name;
use std::ptr::NonNull;

use super::admission::admit;
use super::{Carrier, Entry, EntryFor, Envelope};
use crate::actor::cell::Head;
use crate::actor::error::AnyMessage;
use crate::actor::heir::Asker;
use crate::actor::origin::Origin;
use crate::actor::traits::{ErrOf, Handler, OkOf};
use crate::actor::undelivered::UndeliveredReason;
use crate::actor::way::WayTo;

/// `# Safety`: [`Entry::lift`].
pub(super) type Lift = unsafe fn(NonNull<u8>, &Head) -> Option<Lifted>;

/// A message that was taken out to be answered by hand. Dropped, it tells its asker that there is
/// no reply.
pub(in crate::actor) struct Lifted {
    message: AnyMessage,
    asker: Option<Asker>,
    name: fn() -> &'static str,
}

impl Lifted {
    /// A message that nobody asked.
    pub(super) fn told<M: Send + 'static>(message: M) -> Self {
        Self {
            message: Box::new(message),
            asker: None,
            name: type_name::<M>,
        }
    }

    /// The message's type.
    pub(in crate::actor) fn name(&self) -> &'static str {
        (self.name)()
    }

    /// The message, and the way back to who asked, if somebody did; if it is an `M`.
    #[allow(clippy::type_complexity)] // the way is that of one message to one actor
    pub(in crate::actor) fn open<A: Handler<M>, M: Send + 'static>(
        self,
        origin: Origin,
    ) -> Result<(M, Option<WayTo<OkOf<A, M>, ErrOf<A, M>>>), Self> {
        let message = match self.message.downcast::<M>() {
            Ok(message) => *message,
            Err(message) => return Err(Self { message, ..self }),
        };
        let end = self.asker.and_then(Asker::into_end::<A, M>);
        // SAFETY: E2: `into_end` says that it is the way back of an `M` to an `A`.
        let way = end.map(|end| unsafe { WayTo::from_parts(end, origin) });
        Ok((message, way))
    }
}

impl Entry {
    /// Moves the envelope out to be answered by hand. `None` if that is too late, or if it is not
    /// for a hand to answer: then it was given up, as by `discard`.
    ///
    /// # Safety
    ///
    /// - This is the entry of the envelope in `slot` (E1), which lay in the mailbox of `head` and
    ///   is not read again.
    pub(in crate::actor) unsafe fn lift(&self, slot: NonNull<u8>, head: &Head) -> Option<Lifted> {
        match self.lift {
            // SAFETY: the caller.
            Some(lift) => unsafe { lift(slot, head) },
            None => {
                let reason = UndeliveredReason::Overflow;
                // SAFETY: the caller.
                unsafe { self.discard(slot, head, &reason) };
                None
            }
        }
    }
}

impl<A: Handler<M>, M: Send + 'static, C: Carrier<M>> EntryFor<A, M, C> {
    /// # Safety: as [`Entry::lift`].
    pub(super) unsafe fn lift(slot: NonNull<u8>, head: &Head) -> Option<Lifted> {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<C>>().read() };
        let plain = envelope.reply.as_ref().is_none_or(|end| end.is_plain());
        let admitted = match &envelope.reply {
            Some(end) if !plain => admit::<A, M>(end).map(drop),
            _ => Ok(()),
        };
        if let Err(reason) = admitted {
            // SAFETY: the caller (E2).
            unsafe { Self::give_up(envelope, head, &reason) };
            return None;
        }
        Some(Lifted {
            message: Box::new(envelope.carried.unload()),
            asker: envelope.reply.map(Asker::new::<A, M>),
            name: type_name::<M>,
        })
    }
}
