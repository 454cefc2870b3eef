//! The consumer's half: taking messages out, and giving their slots to those who wait.

use std::ptr::NonNull;

use super::after::After;
use super::{ATTENDED, CLOSED, Discard, Inner, LANES, LINE, Lane, Mailbox, NORMAL, Queue};
use crate::sync::atomic::{Ordering, fence};

/// What the consumer gets. An envelope lies where it lay until the next is asked for.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Its slot is the consumer's to give back, by [`Mailbox::release`].
    Message(NonNull<u8>),
    /// It has no slot.
    Notice(NonNull<u8>),
    /// No message; the next one notifies.
    Empty,
    /// No message, and none will come.
    Closed,
}

impl Mailbox {
    /// Consumer: the next message, by way of its batch.
    #[inline]
    pub(crate) fn next(&self, batch: &mut Queue) -> Next {
        self.take(batch, false)
    }

    /// As [`Mailbox::next`], for the first of an activation. If that leaves nothing behind, the
    /// mailbox is unattended from then on: most activations have one batch, and need not look again
    /// to learn that there is no other. A consumer that will not ask for the next before it rests
    /// has to [attend](Mailbox::attend).
    #[inline]
    pub(crate) fn first(&self, batch: &mut Queue) -> Next {
        self.take(batch, true)
    }

    #[inline]
    fn take(&self, batch: &mut Queue, is_first: bool) -> Next {
        // A hint: they are looked at under the lock when the batch is empty.
        if self.is(LANES) {
            return self.next_of_lanes(batch);
        }
        if let Some(slot) = batch.pop(self.stride) {
            return Next::Message(slot);
        }
        // Who makes it attended after this look notifies.
        if !self.is(ATTENDED) {
            return Next::Empty;
        }
        let mut inner = self.inner.lock();
        if self.is(NORMAL | LANES) {
            drop(inner);
            return self.next_of_lanes(batch);
        }
        if inner.queue.is_empty() {
            return self.nothing(&mut inner);
        }
        std::mem::swap(&mut inner.queue, batch);
        if is_first && self.flags() == ATTENDED && inner.annex.is_none() {
            self.set(ATTENDED, false);
        }
        drop(inner);
        batch.pop(self.stride).map_or(Next::Empty, Next::Message)
    }

    /// Consumer, under the lock: there is no message.
    fn nothing(&self, inner: &mut Inner) -> Next {
        if self.is(CLOSED) {
            return Next::Closed;
        }
        if let Some(annex) = &mut inner.annex {
            // SAFETY: the lock is held, and by the consumer, which asks for the next.
            unsafe { annex.clear_desk() };
        }
        self.set(ATTENDED, false);
        Next::Empty
    }

    /// Consumer: the next message of whichever lane has its turn.
    #[cold]
    fn next_of_lanes(&self, batch: &mut Queue) -> Next {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let plain = !batch.is_empty() || !inner.queue.is_empty();
        let normal = plain || self.is(NORMAL);
        let lane = match &mut inner.annex {
            // Ordering: Relaxed; the consumer alone writes it.
            Some(annex) => annex.turn(normal, self.consumed.load(Ordering::Relaxed)),
            None => normal.then_some(Lane::Normal),
        };
        let Some(lane) = lane else {
            return self.nothing(inner);
        };
        if lane == Lane::Normal && plain {
            // L1
            let slot = batch.pop(self.stride).or_else(|| {
                std::mem::swap(&mut inner.queue, batch);
                batch.pop(self.stride)
            });
            return Next::Message(slot.expect("one of the two has a message"));
        }
        let annex = inner.annex();
        // SAFETY: the lock is held, and by the consumer.
        let (slot, holds_slot) = unsafe { annex.take_first(lane) };
        self.note_annex(inner);
        match holds_slot {
            true => Next::Message(slot),
            false => Next::Notice(slot),
        }
    }

    /// Consumer: promises to look at the queue again, so that no push need notify.
    #[inline]
    pub(crate) fn attend(&self) {
        // A true stays: the consumer alone takes it away.
        if !self.is(ATTENDED) {
            self.attend_now();
        }
    }

    #[cold]
    fn attend_now(&self) {
        let _inner = self.inner.lock();
        let _ = self.attend_locked();
    }

    /// Consumer: gives back the slot of the message that it just took out.
    #[inline]
    pub(crate) fn release(&self, discard: &impl Discard) {
        // C1. Ordering: Release; pairs with the Acquire of `used`. Nobody else writes it.
        let consumed = self.consumed.load(Ordering::Relaxed);
        self.consumed
            .store(consumed.wrapping_add(1), Ordering::Release);
        fence(Ordering::SeqCst); // C2
        // Ordered by C2.
        if self.is(LINE) {
            self.grant_now(discard); // C3
        }
    }

    /// As `grant_rounds`, for the consumer, who is bound to look again.
    #[cold]
    fn grant_now(&self, discard: &impl Discard) {
        let _ = self.grant_rounds(self.inner.lock(), After::new(), discard);
    }
}
