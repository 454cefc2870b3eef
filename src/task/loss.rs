//! Messages and replies that nobody got, in numbers.

use std::any::Any;

use crate::sync::atomic::{AtomicU64, Ordering};

/// What became of a message that no handler ran for and no asker took back, or of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Its actor ended before.
    Ended,
    /// The mailbox was full.
    Overflow,
    /// Its asker went while it was queued.
    AskerGone,
    /// Its deadline passed while it was queued.
    Expired,
    /// A reply whose asker had gone.
    Reply,
}

impl Loss {
    const COUNT: usize = Self::Reply as usize + 1;
}

/// Who hears of messages that were not delivered. What it is passed is the actor module's own.
pub(crate) type Observer = dyn Fn(&dyn Any) + Send + Sync;

/// How many there were of each.
#[derive(Debug, Default)]
pub(crate) struct Losses([AtomicU64; Loss::COUNT]);

impl Losses {
    pub(crate) fn count(&self, loss: Loss) {
        // Ordering: Relaxed; a statistic.
        self.0[loss as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, loss: Loss) -> u64 {
        // Ordering: Relaxed; a statistic.
        self.0[loss as usize].load(Ordering::Relaxed)
    }
}
