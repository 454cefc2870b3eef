//! Tells whether a sender still stands in the line.

use std::ptr::NonNull;

use super::super::{Mailbox, Phase, Waiter};

/// Where a sender stands, for others to look.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    mailbox: NonNull<Mailbox>,
    waiter: NonNull<Waiter>,
}

// SAFETY: it reads the phase alone, under the mailbox's lock (W1).
unsafe impl Send for Probe {}

impl Probe {
    pub(crate) fn new(mailbox: &Mailbox, waiter: &Waiter) -> Self {
        Self {
            mailbox: NonNull::from(mailbox),
            waiter: NonNull::from(waiter),
        }
    }

    /// Whether the sender still waits for a slot.
    ///
    /// # Safety
    ///
    /// - Mailbox and waiter live, and belong together.
    pub(crate) unsafe fn is_open(&self) -> bool {
        // SAFETY: the caller.
        let (mailbox, waiter) = unsafe { (self.mailbox.as_ref(), self.waiter.as_ref()) };
        let _inner = mailbox.inner.lock();
        // SAFETY: the lock is held (W1).
        unsafe { waiter.with(|node| node.phase == Phase::Waiting) }
    }
}
