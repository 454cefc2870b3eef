//! A message on its sender's side of the mailbox.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::{Bare, Carrier, Entry, EntryFor, Envelope};
use crate::actor::cell::Head;
use crate::actor::policy::Overflowed;
use crate::actor::traits::{Actor, Handler};
use crate::contain::contain;
use crate::mailbox::{Accepted, Bytes, Discard, Mail, Place, SLOT_ALIGN};
use crate::pool::PoolBox;
use crate::reply::ReplyEnd;

/// A message with its sender: loose, or sealed in the form in which the mailbox takes it.
pub(in crate::actor) enum Parcel<M> {
    Empty,
    Loose(M),
    Bare(Envelope<Bare<M>>),
    Boxed(Envelope<PoolBox<M>>),
}

impl Entry {
    /// The envelope of this entry in a slot, as a mailbox takes it.
    pub(in crate::actor) fn bytes(&self, slot: NonNull<u8>) -> Bytes {
        Bytes {
            start: slot,
            size: self.size,
        }
    }
}

impl<M: Send + 'static> Parcel<M> {
    /// Seals a message for `A`.
    #[inline]
    pub(in crate::actor) fn seal<A: Handler<M>>(message: M, reply: Option<ReplyEnd>) -> Self {
        if const { fits::<A, M>() } {
            let entry = &EntryFor::<A, M, Bare<M>>::ENTRY;
            Self::Bare(Envelope {
                entry,
                reply,
                carried: Bare(message),
            })
        } else {
            let entry = &EntryFor::<A, M, PoolBox<M>>::ENTRY;
            let carried = PoolBox::new(message);
            Self::Boxed(Envelope {
                entry,
                reply,
                carried,
            })
        }
    }

    /// Whether it was sealed, and the mailbox's plain way in takes it.
    #[inline]
    pub(in crate::actor) fn is_plain(&self) -> bool {
        match self {
            Self::Empty | Self::Loose(_) => false,
            Self::Bare(envelope) => envelope.entry.is_plain,
            Self::Boxed(envelope) => envelope.entry.is_plain,
        }
    }

    /// Seals the message by this, if it is loose.
    pub(in crate::actor) fn seal_by(&mut self, seal: impl FnOnce(M, Option<ReplyEnd>) -> Self) {
        match std::mem::replace(self, Self::Empty) {
            Self::Loose(message) => *self = seal(message, None),
            sealed => *self = sealed,
        }
    }

    /// The sealed envelope as bytes.
    pub(in crate::actor) fn bytes(&mut self) -> Option<Bytes> {
        let start = self.start()?;
        // SAFETY: E1: a sealed envelope, which starts with its entry.
        Some(unsafe { Entry::of(start) }.bytes(start))
    }

    /// The sealed envelope as a mailbox takes it. Calls user code, for what the message asks.
    pub(in crate::actor) fn mail(&mut self) -> Option<Mail> {
        let start = self.start()?;
        // SAFETY: E1: a sealed envelope, which starts with its entry.
        let (entry, tag) = unsafe {
            let entry = Entry::of(start);
            (entry, (entry.tag)(start))
        };
        let envelope = entry.bytes(start);
        Some(Mail { envelope, tag })
    }

    /// Where the sealed envelope is.
    fn start(&mut self) -> Option<NonNull<u8>> {
        match self {
            Self::Empty | Self::Loose(_) => None,
            Self::Bare(envelope) => Some(NonNull::from(envelope).cast()),
            Self::Boxed(envelope) => Some(NonNull::from(envelope).cast()),
        }
    }

    /// Moves the sealed envelope to its place in the mailbox.
    ///
    /// # Safety
    ///
    /// - It was sealed, for the actor whose mailbox gave the place (E1).
    // Always: where it was just sealed, it is written to its place and nowhere else.
    #[inline(always)]
    pub(in crate::actor) unsafe fn move_into(self, place: Place<'_>) -> Accepted {
        let slot = place.slot();
        // SAFETY: the slot is free and takes every envelope that `seal` makes for its actor.
        unsafe {
            match self {
                Self::Bare(envelope) => slot.cast().write(envelope),
                Self::Boxed(envelope) => slot.cast().write(envelope),
                Self::Empty | Self::Loose(_) => unreachable!("it was sealed"),
            }
            place.fill()
        }
    }

    /// Takes the message back.
    pub(in crate::actor) fn open(self) -> Option<M> {
        match self {
            Self::Empty => None,
            Self::Loose(message) => Some(message),
            Self::Bare(envelope) => Some(envelope.carried.unload()),
            Self::Boxed(envelope) => Some(envelope.carried.unload()),
        }
    }

    /// Drops the sealed message, as the mailbox says, and tells its asker.
    pub(in crate::actor) fn overflow(&mut self, head: &Head) {
        if let Some(start) = self.start() {
            // SAFETY: E1; it is forgotten next, so that nobody reads it again.
            contain(|| unsafe { Overflowed(head).discard(start) });
        }
        self.forget();
    }

    /// Forgets the envelope, whose bytes are the mailbox's now.
    pub(in crate::actor) fn forget(&mut self) {
        std::mem::forget(std::mem::replace(self, Self::Empty));
    }
}

/// Whether an actor's slots take an `M` as it is.
pub(super) const fn fits<A: Actor, M>() -> bool {
    let layout = Layout::new::<Envelope<Bare<M>>>();
    layout.size() <= A::SLOT.stride().bytes() && layout.align() <= SLOT_ALIGN
}
