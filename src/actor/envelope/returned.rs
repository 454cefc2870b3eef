//! Messages that their actor had put aside, and takes up again.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

use super::{Bare, Entry, EntryFor, Envelope, untagged};
use crate::actor::cell::Head;
use crate::actor::heir::{Asker, Heir};
use crate::actor::running::{Running, Step};
use crate::actor::traits::Handler;
use crate::actor::undelivered::UndeliveredReason;
use crate::mailbox::Accepted;
use crate::sync::Mutex;

/// Who asked, once the handler that put the message aside has ended.
#[derive(Clone, Default)]
struct Seat(Arc<Mutex<Option<Asker>>>);

impl Heir for Seat {
    fn inherit(self: Box<Self>, asker: Option<Asker>) {
        let before = std::mem::replace(&mut *self.0.lock(), asker);
        debug_assert!(before.is_none(), "a handler ends once");
    }
}

struct Aside<M> {
    message: M,
    seat: Seat,
}

/// A message of whatever type that was put aside.
pub(in crate::actor) trait Stashed: Send {
    /// Puts it before all that is queued. The caller is the mailbox's consumer.
    fn put_back(self: Box<Self>, head: &Head) -> Accepted;
}

struct StashedFor<A, M> {
    aside: Box<Aside<M>>,
    _actor: PhantomData<fn(A)>,
}

/// Puts a message to `A` aside; with who takes its asker over.
pub(in crate::actor) fn put_aside<A: Handler<M>, M: Send + 'static>(
    message: M,
) -> (Box<dyn Stashed>, Box<dyn Heir>) {
    let seat = Seat::default();
    let heir = Box::new(seat.clone());
    let stashed = StashedFor::<A, M> {
        aside: Box::new(Aside { message, seat }),
        _actor: PhantomData,
    };
    (Box::new(stashed), heir)
}

impl<A: Handler<M>, M: Send + 'static> Stashed for StashedFor<A, M> {
    fn put_back(self: Box<Self>, head: &Head) -> Accepted {
        let mut envelope = ManuallyDrop::new(Envelope {
            entry: &ReturnedFor::<A, M>::ENTRY,
            reply: None,
            carried: self.aside,
        });
        let bytes = envelope.entry.bytes(NonNull::from(&mut *envelope).cast());
        // SAFETY: the envelope is of the entry's type, for this actor (E1), and fits any slot.
        unsafe { head.mailbox.push_returned(bytes) }
    }
}

/// The entry for messages `M` to `A` that are taken up again.
struct ReturnedFor<A, M>(PhantomData<fn(A, M)>);

impl<A: Handler<M>, M: Send + 'static> ReturnedFor<A, M> {
    const ENTRY: Entry = Entry {
        size: size_of::<Envelope<Box<Aside<M>>>>(),
        is_plain: false,
        tag: untagged,
        start: Self::start,
        discard: Self::discard,
        #[cfg(feature = "test-util")]
        lift: None,
        ..EntryFor::<A, M, Bare<M>>::ENTRY
    };

    /// The message as it came first.
    ///
    /// # Safety
    ///
    /// - As [`Entry::start`]: the slot holds an envelope of this entry, and is not read again.
    unsafe fn restore(slot: NonNull<u8>) -> ManuallyDrop<Envelope<Bare<M>>> {
        // SAFETY: the caller.
        let envelope = unsafe { slot.cast::<Envelope<Box<Aside<M>>>>().read() };
        let Aside { message, seat } = *envelope.carried;
        let asker = seat.0.lock().take();
        ManuallyDrop::new(Envelope {
            entry: &EntryFor::<A, M, Bare<M>>::ENTRY,
            reply: asker.and_then(Asker::into_end::<A, M>),
            carried: Bare(message),
        })
    }

    /// # Safety: as [`Entry::start`].
    unsafe fn start(running: Running, slot: NonNull<u8>) -> Step {
        // SAFETY: the caller; what is restored is read by its own entry, once (E2: `into_end`).
        unsafe {
            let mut envelope = Self::restore(slot);
            let place = NonNull::from(&mut *envelope).cast();
            EntryFor::<A, M, Bare<M>>::start(running, place)
        }
    }

    /// # Safety: as [`Entry::discard`].
    unsafe fn discard(slot: NonNull<u8>, head: &Head, reason: &UndeliveredReason) {
        // SAFETY: as in `start`.
        unsafe {
            let mut envelope = Self::restore(slot);
            let place = NonNull::from(&mut *envelope).cast();
            EntryFor::<A, M, Bare<M>>::discard(place, head, reason);
        }
    }
}
