//! Notices: messages that stand in the normal lane, in order, and hold no slot.
//!
//! Timers, monitors and streams send them. Each has a [`Source`], which has one notice in its
//! actor's mailbox at most: so the number of sources bounds them, and a full mailbox delays none.
//! What is sent lies in the source, and the mailbox holds only the way to it: as long as it is
//! queued, it can be replaced or taken back, and then nothing is delivered.
//!
//! What is queued when the actor ends is dropped. Nobody sent it, so it is not undelivered.

use std::ptr::NonNull;
use std::sync::Arc;

use super::{Bare, Entry, EntryFor, Envelope, WayBack, handle, push_notice, untagged};
use crate::actor::cell::Head;
use crate::actor::context::Context;
use crate::actor::running::{Running, Step};
use crate::actor::traits::Handler;
use crate::actor::undelivered::UndeliveredReason;
use crate::contain::contain;
use crate::mailbox::Accepted;
use crate::sync::Mutex;
use crate::task::Unit;

/// Whence one actor gets notices, one at a time. It knows the actor by what that handles: messages
/// `M`, made of a `P` when their turn comes.
///
/// It does not keep the actor running. Dropped, it leaves what is queued to be delivered.
pub(crate) struct Source<M, P = M>(Arc<Shared<M, P>>);

struct Shared<M, P> {
    /// A count of the cell of the actor that `entry` is for.
    unit: Unit,
    entry: &'static Entry,
    unload: fn(P) -> Option<M>,
    /// No user code runs under this lock. The mailbox's own is taken inside it, never the other
    /// way round.
    place: Mutex<Place<P>>,
}

struct Place<P> {
    load: Option<P>,
    /// Whether an envelope of this source is in the mailbox.
    is_queued: bool,
    /// Whether it sends no more.
    is_closed: bool,
}

impl<M: Send + 'static> Source<M> {
    /// A source of notices for the actor itself.
    pub(crate) fn of<A: Handler<M>>(ctx: &Context<A>) -> Self {
        Self::making(ctx, Some)
    }
}

impl<M: Send + 'static, P: Send + 'static> Source<M, P> {
    /// A source of notices for the actor itself, whose messages are made as their turn comes, if
    /// they still are to be: `unload` runs as the beginning of the handler.
    pub(crate) fn making<A: Handler<M>>(ctx: &Context<A>, unload: fn(P) -> Option<M>) -> Self {
        Self::new::<A>(ctx.unit(), unload)
    }

    /// `unit` is that of an `A`.
    pub(in crate::actor) fn new<A: Handler<M>>(unit: Unit, unload: fn(P) -> Option<M>) -> Self {
        let place = Place {
            load: None,
            is_queued: false,
            is_closed: false,
        };
        Self(Arc::new(Shared {
            unit,
            entry: &NoticeFor::<A, M, P>::ENTRY,
            unload,
            place: Mutex::new(place),
        }))
    }

    /// Sends a notice. If one is still queued, this takes its place, and the older is given back.
    ///
    /// # Errors
    ///
    /// Gives back what the actor does not take any more, or what comes after a close.
    pub(crate) fn send(&self, load: P) -> Result<Option<P>, P> {
        let (shared, head) = (&*self.0, self.head());
        let mut place = shared.place.lock();
        if place.is_closed {
            return Err(load);
        }
        if place.is_queued {
            return Ok(place.load.replace(load));
        }
        // SAFETY: `new`: the entry is that of this source's notices, to the actor of its unit.
        match unsafe { push_notice(head, shared.entry, self.clone()) } {
            Ok(accepted) => {
                place.load = Some(load);
                place.is_queued = true;
                drop(place);
                if accepted == Accepted::Notify {
                    shared.unit.notify();
                }
                Ok(None)
            }
            Err(_) => Err(load),
        }
    }

    /// Takes back what is queued: it is not delivered.
    pub(crate) fn revoke(&self) -> Option<P> {
        self.0.place.lock().load.take()
    }

    /// As [`Source::revoke`], and nothing is sent any more.
    pub(crate) fn close(&self) -> Option<P> {
        let mut place = self.0.place.lock();
        place.is_closed = true;
        place.load.take()
    }

    pub(in crate::actor) fn head(&self) -> &Head {
        // SAFETY: the unit is a cell's, and a count of it.
        unsafe { self.0.unit.as_raw().cast::<Head>().as_ref() }
    }

    /// The consumer has the envelope: what it stands for.
    fn take(&self) -> Option<P> {
        let mut place = self.0.place.lock();
        place.is_queued = false;
        place.load.take()
    }
}

impl<M, P> Clone for Source<M, P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The entry for notices of `M` to `A`, made of a `P`.
struct NoticeFor<A, M, P>(std::marker::PhantomData<fn(A, M, P)>);

impl<A: Handler<M>, M: Send + 'static, P: Send + 'static> NoticeFor<A, M, P> {
    const ENTRY: Entry = Entry {
        size: size_of::<Envelope<Source<M, P>>>(),
        is_plain: false,
        is_reentrant: A::REENTRANT,
        is_detached: true,
        tag: untagged,
        start: Self::start,
        discard: Self::discard,
        #[cfg(feature = "test-util")]
        lift: None,
        ..EntryFor::<A, M, Bare<M>>::ENTRY
    };

    /// # Safety: as [`Entry::start`].
    unsafe fn start(running: Running, slot: NonNull<u8>) -> Step {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<Source<M, P>>>().read() };
        let source = envelope.carried;
        let Some(load) = source.take() else {
            return Step::Done;
        };
        let unload = source.0.unload;
        drop(source);
        running.begin(envelope.entry, WayBack::None);
        let Some(message) = unload(load) else {
            let _ = running.end();
            return Step::Done;
        };
        // SAFETY: E1: the actor is an `A`; the caller says that no handler is suspended.
        unsafe { handle::<A, M>(running, message) }
    }

    /// # Safety: as [`Entry::discard`].
    unsafe fn discard(slot: NonNull<u8>, _: &Head, _: &UndeliveredReason) {
        // SAFETY: E1; the slot is not read again.
        let envelope = unsafe { slot.cast::<Envelope<Source<M, P>>>().read() };
        contain(|| drop(envelope.carried.take()));
        contain(|| drop(envelope));
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests;
