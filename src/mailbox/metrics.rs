//! A mailbox in numbers.

use super::Mailbox;

/// A reading of a mailbox, taken at one instant, from [`Handle::mailbox`](crate::Handle::mailbox).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MailboxMetrics {
    /// Its slots.
    pub capacity: usize,
    /// Slots that messages hold, or that are reserved. More than there are, where the capacity was
    /// lowered below what was in.
    pub used: usize,
    /// Of these, the reserved ones.
    pub reserved: usize,
    /// Bytes that its messages count; 0 where it has no byte bound.
    pub bytes: usize,
    /// Senders that wait.
    pub waiting: usize,
    /// Messages that were dropped for want of room, or because a later one replaced them, since
    /// the actor was spawned.
    pub dropped: u64,
}

impl Mailbox {
    pub(crate) fn metrics(&self) -> MailboxMetrics {
        let inner = self.inner.lock();
        let annex = inner.annex.as_ref();
        MailboxMetrics {
            capacity: inner.capacity as usize,
            used: self.used(&inner),
            reserved: annex.map_or(0, |annex| annex.reserved),
            bytes: annex.map_or(0, |annex| annex.bytes),
            waiting: inner.line.len(),
            dropped: annex.map_or(0, |annex| annex.dropped),
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.inner.lock().capacity as usize
    }

    /// Slots that are free.
    pub(crate) fn free_slots(&self) -> usize {
        let metrics = self.metrics();
        metrics.capacity.saturating_sub(metrics.used)
    }

    /// Senders in the line.
    pub(crate) fn waiting(&self) -> usize {
        self.inner.lock().line.len()
    }
}
