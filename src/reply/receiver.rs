//! The end that waits.

use std::ptr::NonNull;
use std::task::{Poll, Waker};

use super::{Answer, Hand, Head, SENT, WAITING, depart, leave, take};
use crate::contain::contain;
use crate::sync::atomic::Ordering;

/// The end that waits. Empty once it has given the answer.
pub(crate) struct Receiver(pub(super) Option<NonNull<Head>>);

// SAFETY: as `ReplyEnd`.
unsafe impl Send for Receiver {}
// SAFETY: `&Receiver` gives access to nothing.
unsafe impl Sync for Receiver {}

impl Receiver {
    /// The end of no slot.
    #[inline]
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// Gives the answer, or registers `waker` to be woken when it is there.
    ///
    /// # Panics
    ///
    /// When the answer was given already.
    ///
    /// # Safety
    ///
    /// - The slot was made by `channel::<T>()`.
    #[cfg(test)]
    pub(crate) unsafe fn poll<T: Answer>(&mut self, waker: &Waker) -> Poll<T> {
        match self.poll_sent(waker) {
            Poll::Pending => Poll::Pending,
            // SAFETY: the caller; the answer is there.
            Poll::Ready(()) => Poll::Ready(unsafe { self.take() }),
        }
    }

    /// Says that the answer is there, or registers `waker` to be woken when it is.
    ///
    /// # Panics
    ///
    /// When the answer was taken already.
    #[inline]
    pub(crate) fn poll_sent(&mut self, waker: &Waker) -> Poll<()> {
        let raw = self.0.expect("an answer is given once");
        // SAFETY: this end keeps the slot.
        let head = unsafe { raw.as_ref() };
        if head.take_back(WAITING, SENT) {
            // SAFETY: WAITING is away: the waker is the receiver's.
            let old = head
                .waker
                .with_mut(|cell| unsafe { (*cell).replace(waker.clone()) });
            contain(|| drop(old));
            if head.offer(WAITING, SENT) {
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }

    /// Takes the answer, and leaves the slot.
    ///
    /// # Safety
    ///
    /// - The slot was made by `channel::<T>()`, and the last `poll_sent` was ready.
    #[inline]
    pub(crate) unsafe fn take<T: Answer>(&mut self) -> T {
        let raw = self.0.take().expect("an answer is given once");
        // SAFETY: SENT was seen with Acquire; this end is given up.
        unsafe { take::<T>(raw) }
    }

    /// What tells others whether the answer is there.
    ///
    /// # Panics
    ///
    /// When the answer was taken already.
    pub(crate) fn probe(&self) -> Probe {
        Probe(self.0.expect("an answer is given once"))
    }
}

/// Tells whether an answer is there, without a part in the protocol.
#[derive(Clone, Copy)]
pub(crate) struct Probe(NonNull<Head>);

// SAFETY: it reads the state word alone.
unsafe impl Send for Probe {}

impl Probe {
    /// Who is still to answer, if that is known.
    ///
    /// # Safety
    ///
    /// - The receiver that gave the probe has the slot: it was not dropped, nor its answer taken.
    pub(crate) unsafe fn hand(&self) -> Option<Hand> {
        // SAFETY: the caller: the receiver's end keeps the slot.
        let head = unsafe { self.0.as_ref() };
        // Ordering: Relaxed; nothing is read behind it. Who sent the answer, and does something
        // after it, is seen to have sent by whoever sees what it did.
        Hand::of(head.state.load(Ordering::Relaxed))
    }
}

impl Drop for Receiver {
    #[inline]
    fn drop(&mut self) {
        if let Some(raw) = self.0.take() {
            // SAFETY: this end is given up.
            unsafe { go(raw) }
        }
    }
}

/// Leaves the slot, with the answer if it is there.
///
/// # Safety
///
/// - The receiver's end is given up.
unsafe fn go(raw: NonNull<Head>) {
    /// Leaves the slot even if the value's own drop panics.
    struct Leave(NonNull<Head>);
    impl Drop for Leave {
        fn drop(&mut self) {
            // SAFETY: the value was dropped, or its drop is unwinding.
            unsafe { leave(self.0) }
        }
    }
    // SAFETY: the caller.
    if unsafe { depart(raw) }.is_some() {
        return;
    }
    let leave = Leave(raw);
    // SAFETY: SENT was seen with Acquire: the value is there and the receiver's.
    unsafe { (raw.as_ref().vtable.drop_value)(leave.0) };
}
