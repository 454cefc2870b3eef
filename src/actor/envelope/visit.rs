//! Visits: entries in the normal lane, in order, by which an actor comes for messages that wait for
//! it elsewhere. They hold no slot.
//!
//! Whoever keeps the messages sends one visit for each, and bounds them. A visit that finds nothing
//! is none: so what waits can be dropped at any time.

use std::marker::PhantomData;
use std::ptr::NonNull;

#[cfg(feature = "test-util")]
use super::Lifted;
use super::{Bare, Entry, EntryFor, Envelope, WayBack, handle, push_notice, untagged};
use crate::actor::cell::Head;
use crate::actor::running::{Running, Step};
use crate::actor::traits::Handler;
use crate::actor::undelivered::UndeliveredReason;
use crate::actor::weak::WeakHandle;
use crate::contain::contain;
use crate::mailbox::Accepted;

/// What an actor comes for.
pub(crate) trait Visit: Send + Sized + 'static {
    /// What it finds.
    type Found;
    /// What that is made into.
    type Message: Send + 'static;

    /// Takes what waits; no user code runs in it. `None`: then nothing is handled.
    fn find(&self) -> Option<Self::Found>;

    /// Makes the message, as the beginning of its handler.
    fn make(self, found: Self::Found) -> Self::Message;
}

/// A visit that was sent under a lock.
#[must_use = "the actor may have to be notified, by `WeakHandle::notify`"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due(bool);

impl<A: 'static> WeakHandle<A> {
    /// Sends a visit, without notifying the actor: so this may be called under the lock under which
    /// the message was put where it waits.
    ///
    /// # Errors
    ///
    /// Gives back what the actor does not take any more.
    pub(crate) fn send_visit<V>(&self, visit: V) -> Result<Due, V>
    where
        V: Visit,
        A: Handler<V::Message>,
    {
        // SAFETY: the entry is that of these visits, to an actor of this type.
        let pushed = unsafe { push_notice(self.head(), &VisitFor::<A, V>::ENTRY, visit) };
        pushed.map(|accepted| Due(accepted == Accepted::Notify))
    }

    /// Has the actor look for what it was sent.
    pub(crate) fn notify(&self, due: Due) {
        if due.0 {
            self.unit().notify();
        }
    }
}

/// The entry for visits of an `A`.
struct VisitFor<A, V>(PhantomData<fn(A, V)>);

impl<A: Handler<V::Message>, V: Visit> VisitFor<A, V> {
    const ENTRY: Entry = Entry {
        size: size_of::<Envelope<V>>(),
        is_plain: false,
        tag: untagged,
        start: Self::start,
        discard: Self::discard,
        #[cfg(feature = "test-util")]
        lift: Some(Self::lift),
        ..EntryFor::<A, V::Message, Bare<V::Message>>::ENTRY
    };

    /// # Safety: as [`Entry::start`].
    unsafe fn start(running: Running, slot: NonNull<u8>) -> Step {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<V>>().read() };
        let Some(found) = envelope.carried.find() else {
            return Step::Done;
        };
        running.begin(envelope.entry, WayBack::None);
        let message = envelope.carried.make(found);
        // SAFETY: E1: the actor is an `A`; the caller says that no handler is suspended.
        unsafe { handle::<A, V::Message>(running, message) }
    }

    /// # Safety: as [`Entry::lift`].
    #[cfg(feature = "test-util")]
    unsafe fn lift(slot: NonNull<u8>, _: &Head) -> Option<Lifted> {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<V>>().read() };
        let found = envelope.carried.find()?;
        Some(Lifted::told(envelope.carried.make(found)))
    }

    /// # Safety: as [`Entry::discard`].
    unsafe fn discard(slot: NonNull<u8>, _: &Head, _: &UndeliveredReason) {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<V>>().read() };
        contain(|| drop(envelope));
    }
}
