//! The line of those who wait, and what they are granted.

use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Poll, Waker};

use super::after::After;
use super::node::Node;
use super::waiter::Asked;
use super::{
    Accepted, Bytes, CLOSED, Discard, Inner, LINE, Mailbox, NORMAL, Phase, Refused, Tag, Waiter,
};
use crate::contain::contain;
use crate::sync::MutexGuard;
use crate::sync::atomic::{Ordering, fence};

impl Mailbox {
    /// Whether a message fits: where it replaces another, it needs no more than that one leaves.
    pub(super) fn fits(&self, inner: &Inner, tag: &Tag) -> bool {
        let has_slot = self.has_slots(inner, 1);
        let Some(annex) = &inner.annex else {
            return has_slot;
        };
        (has_slot || annex.replaced(tag).is_some())
            && annex.takes(annex.weight(tag), annex.leaves(tag))
    }

    /// Whether the head of the line, or else this message, fits once all have gone that may.
    pub(super) fn gains(&self, inner: &Inner, tag: &Tag) -> bool {
        let Some(annex) = &inner.annex else {
            return false;
        };
        let head = inner.line.first();
        // SAFETY: the lock is held, and what stands in the line lives (W3).
        let asked = head.map(|head| unsafe { head.as_ref().with(|node| node.asked()) });
        let (slots, weight, leaves) = match &asked {
            None => (1, annex.weight(tag), 0),
            Some(Asked::Message(_, tag)) => {
                let is_new = annex.replaced(tag).is_none();
                (usize::from(is_new), annex.weight(tag), annex.leaves(tag))
            }
            Some(Asked::Slots(slots)) => (*slots, 0, 0),
        };
        let (count, bytes) = annex.may_go;
        let capacity = inner.capacity as usize;
        let has_slots = slots == 0 || self.used(inner) - count + slots.min(capacity) <= capacity;
        has_slots && annex.takes(weight, bytes + leaves)
    }

    /// Whether so many slots are free; a capacity that was lowered below that counts as enough.
    pub(super) fn has_slots(&self, inner: &Inner, slots: usize) -> bool {
        let capacity = inner.capacity as usize;
        self.used(inner) + slots.min(capacity) <= capacity
    }

    /// Moves a message in that fits.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push); the lock is held.
    pub(super) unsafe fn place(
        &self,
        inner: &mut Inner,
        envelope: Bytes,
        tag: &Tag,
        after: &mut After,
    ) {
        let annex = inner.annex.as_ref();
        if let Some(old) = annex.and_then(|annex| annex.replaced(tag)) {
            // SAFETY: it stands in the annex.
            unsafe { self.evict(inner, old, after) };
        }
        inner.held = inner.held.wrapping_add(1);
        // SAFETY: the caller.
        unsafe { self.append(inner, envelope, tag, true) };
        if self.attend_locked() == Accepted::Notify {
            after.accepted = Accepted::Notify;
        }
    }

    /// # Safety
    ///
    /// - As [`Mailbox::place`].
    pub(super) unsafe fn append(
        &self,
        inner: &mut Inner,
        envelope: Bytes,
        tag: &Tag,
        holds_slot: bool,
    ) {
        let annex = inner.annex.as_ref();
        let weighs = annex.is_some_and(|annex| annex.weight(tag) > 0);
        // L1
        if self.is(NORMAL) || weighs || !holds_slot || !tag.is_plain() {
            // SAFETY: the caller; A1: the message with its key was dropped before.
            unsafe { inner.annex().push(self.stride, envelope, tag, holds_slot) };
            self.note_annex(inner);
        } else {
            // SAFETY: the caller.
            unsafe { inner.queue.push(self.stride, envelope.start, envelope.size) };
        }
    }

    /// Drops a message, once the lock is let go.
    ///
    /// # Safety
    ///
    /// - The lock is held; the node stands in the annex, and holds a slot.
    pub(super) unsafe fn evict(&self, inner: &mut Inner, node: NonNull<Node>, after: &mut After) {
        let annex = inner.annex();
        // SAFETY: the caller.
        let message = unsafe { annex.take(node) };
        annex.dropped += 1;
        inner.held = inner.held.wrapping_sub(1);
        self.note_annex(inner);
        after.drop_message(message);
    }

    /// Gives what is free to those who wait, in turn, as far as `after` has room.
    #[cold]
    pub(super) fn grant(&self, inner: &mut Inner, after: &mut After) {
        while !self.is(CLOSED) && !after.is_full() {
            let Some(waiter) = inner.line.first() else {
                break;
            };
            // SAFETY: the lock is held.
            let asked = unsafe { waiter.as_ref().with(|node| node.asked()) };
            let fits = match &asked {
                Asked::Message(_, tag) => self.fits(inner, tag),
                Asked::Slots(slots) => self.has_slots(inner, *slots),
            };
            if !fits {
                break;
            }
            // SAFETY: the lock is held, and it is the first of the line.
            let waker = unsafe {
                inner.line.unlink(waiter);
                waiter.as_ref().with(|node| node.settle(Phase::Granted))
            };
            match asked {
                // SAFETY: W2: the envelope was in place; now its bytes are the mailbox's.
                Asked::Message(envelope, tag) => unsafe {
                    self.place(inner, envelope, &tag, after);
                },
                Asked::Slots(slots) => Self::hold(inner, slots),
            }
            after.wake(waker);
        }
        self.note_line(inner);
    }

    /// Grants in as many rounds as it takes, and does what is to be done after them. Whatever gives
    /// something back ends in this; it says whether the actor has to be notified.
    pub(super) fn grant_rounds<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        mut after: After,
        discard: &impl Discard,
    ) -> Accepted {
        let mut accepted = Accepted::Attended;
        loop {
            self.grant(&mut inner, &mut after);
            drop(inner);
            let more = after.is_full();
            if after.run(discard) == Accepted::Notify {
                accepted = Accepted::Notify;
            }
            if !more {
                return accepted;
            }
            after = After::new();
            inner = self.inner.lock();
        }
    }

    /// The lock is held. What was granted has set ATTENDED before.
    fn note_line(&self, inner: &Inner) {
        self.set(LINE, inner.line.len() > 0);
    }

    /// Joins the line, and grants what came free meanwhile. Says where the sender's wish stands.
    ///
    /// # Safety
    ///
    /// - The lock is held, and the waiter is in phase `Unsent`. As long as it is in the line, it
    ///   and the envelope stay in place (W2, W3).
    pub(super) unsafe fn join(
        &self,
        inner: &mut Inner,
        waiter: Pin<&Waiter>,
        waker: Waker,
        asked: Asked,
        after: &mut After,
    ) -> Phase {
        // S1
        // SAFETY: the lock is held; the caller keeps node and envelope in place.
        unsafe {
            waiter.with(|node| node.wait(asked, waker));
            inner.line.push(NonNull::from(waiter.get_ref()));
        }
        self.note_line(inner);
        fence(Ordering::SeqCst); // S2: pairs with C2 in `release`
        self.grant(inner, after); // S3
        // SAFETY: the lock is held.
        unsafe { waiter.with(|node| node.phase) }
    }

    /// Whether what the waiter asked for was granted, or refused.
    pub(crate) fn poll_waiter(
        &self,
        waiter: Pin<&Waiter>,
        waker: &Waker,
    ) -> Poll<Result<(), Refused>> {
        let mut fresh = Some(waker.clone());
        let inner = self.inner.lock();
        // SAFETY: the lock is held.
        let (phase, old) = unsafe {
            waiter.with(|node| match node.phase {
                Phase::Waiting => (node.phase, std::mem::replace(&mut node.waker, fresh.take())),
                phase => (phase, None),
            })
        };
        drop(inner);
        contain(|| drop((fresh, old)));
        match phase {
            Phase::Granted => Poll::Ready(Ok(())),
            Phase::Refused => Poll::Ready(Err(Refused::Closed)),
            Phase::Waiting | Phase::Unsent => Poll::Pending,
        }
    }

    /// Leaves the line. Says where the message is (with the sender unless `Granted`), and whether
    /// the actor has to be notified of what others are granted for it.
    pub(crate) fn withdraw(
        &self,
        waiter: Pin<&Waiter>,
        discard: &impl Discard,
    ) -> (Phase, Accepted) {
        let mut inner = self.inner.lock();
        // SAFETY: the lock is held; a waiting node stands in the line.
        let (phase, waker) = unsafe {
            let phase = waiter.with(|node| node.phase);
            if phase == Phase::Waiting {
                inner.line.unlink(NonNull::from(waiter.get_ref()));
                (phase, waiter.with(|node| node.settle(Phase::Unsent)))
            } else {
                (phase, waiter.with(|node| node.waker.take()))
            }
        };
        let accepted = if phase == Phase::Waiting {
            self.grant_rounds(inner, After::new(), discard)
        } else {
            drop(inner);
            Accepted::Attended
        };
        contain(|| drop(waker));
        (phase, accepted)
    }

    /// Refuses everything from now on; what was accepted stays. Refuses those who wait, too, unless
    /// somebody who closes it as well is about to. Says whether the actor must be notified.
    pub(crate) fn close(&self) -> Accepted {
        // It stays so; who set it does the rest.
        if self.is(CLOSED) {
            return Accepted::Attended;
        }
        let inner = self.inner.lock();
        self.set(CLOSED, true);
        let accepted = self.attend_locked();
        if self.is(LINE) {
            drop(self.refuse_line(inner));
        }
        accepted
    }

    /// Refuses all who wait, in as many rounds as it takes, and gives the lock back. Nobody joins a
    /// closed mailbox; who waits in one that was opened again meanwhile came after that.
    #[cold]
    fn refuse_line<'a>(&'a self, mut inner: MutexGuard<'a, Inner>) -> MutexGuard<'a, Inner> {
        while self.is(CLOSED) && self.is(LINE) {
            let mut after = After::new();
            while !after.is_full() {
                // SAFETY: the lock is held.
                let Some(waiter) = (unsafe { inner.line.pop() }) else {
                    break;
                };
                // SAFETY: the lock is held.
                after.wake(unsafe { waiter.as_ref().with(|node| node.settle(Phase::Refused)) });
            }
            self.note_line(&inner);
            drop(inner);
            after.wake_all();
            inner = self.inner.lock();
        }
        inner
    }

    /// Takes messages again. Who waited as it was closed is refused all the same.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn reopen(&self) {
        let _inner = self.refuse_line(self.inner.lock());
        self.set(CLOSED, false);
    }
}
