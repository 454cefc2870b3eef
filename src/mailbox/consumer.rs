//! The consumer's half: taking messages out, and giving their slots to those who wait.

use super::wakes::Wakes;
use super::{Inner, Mailbox, Phase, Queue, Taken};
use crate::sync::atomic::{Ordering, fence};

impl Mailbox {
    /// Moves envelopes of the line into free slots, as many as `Wakes` can hold wakers.
    #[cold]
    pub(super) fn grant(&self, inner: &mut Inner) -> Wakes {
        let mut wakes = Wakes::new();
        while !inner.closed && self.used(inner) < self.capacity && !wakes.is_full() {
            // SAFETY: the lock is held.
            let Some(waiter) = (unsafe { inner.line.pop() }) else {
                break;
            };
            // SAFETY: W2: the envelope is in place; from here on its bytes are the queue's.
            unsafe {
                let (envelope, size, waker) = waiter.as_ref().with(|node| {
                    node.phase = Phase::Granted;
                    (node.envelope.take(), node.size, node.waker.take())
                });
                inner.accepted = inner.accepted.wrapping_add(1);
                inner
                    .queue
                    .push(self.stride, envelope.expect("W2: it waits with it"), size);
                wakes.push(waker);
            }
        }
        self.note_line(inner);
        wakes
    }

    pub(super) fn note_line(&self, inner: &Inner) {
        // Ordering: Relaxed; a `false` is only a hint to skip the lock, and S1 to S3 order `true`.
        self.has_waiters
            .store(inner.line.len() > 0, Ordering::Relaxed);
    }

    /// Consumer: fills an empty batch with all that is queued, after granting what fits.
    pub(crate) fn take(&self, batch: &mut Queue) -> Taken {
        debug_assert!(batch.is_empty());
        let mut inner = self.inner.lock();
        let wakes = (inner.line.len() > 0).then(|| self.grant(&mut inner));
        let taken = if !inner.queue.is_empty() {
            std::mem::swap(&mut inner.queue, batch);
            Taken::Some
        } else if inner.closed {
            Taken::Closed
        } else {
            // Ordering: Relaxed; under the lock.
            self.attended.store(false, Ordering::Relaxed);
            Taken::Empty
        };
        drop(inner);
        if let Some(wakes) = wakes {
            wakes.wake();
        }
        taken
    }

    /// Consumer: promises to look at the queue again, so that no push need notify.
    pub(crate) fn attend(&self) {
        let _inner = self.inner.lock();
        let _ = self.attend_locked();
    }

    /// Consumer: gives back the slot of the message that it just took out of its batch.
    pub(crate) fn release(&self) {
        // C1. Ordering: Release; pairs with the Acquire of `used`. Nobody else writes it.
        let consumed = self.consumed.load(Ordering::Relaxed);
        self.consumed
            .store(consumed.wrapping_add(1), Ordering::Release);
        fence(Ordering::SeqCst); // C2
        // Ordering: Relaxed; ordered by C2.
        if self.has_waiters.load(Ordering::Relaxed) {
            self.grant_now(); // C3
        }
    }

    #[cold]
    fn grant_now(&self) {
        loop {
            let mut inner = self.inner.lock();
            let wakes = self.grant(&mut inner);
            drop(inner);
            let more = wakes.is_full();
            wakes.wake();
            if !more {
                return;
            }
        }
    }
}
