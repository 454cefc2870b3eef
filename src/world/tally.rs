//! What became of all savepoints of a session.

use std::sync::atomic::{AtomicU64, Ordering};

use super::body::Counts;

/// Sums of the counts of runs that have ended.
#[derive(Debug, Default)]
pub(super) struct Tally {
    published: AtomicU64,
    inline: AtomicU64,
    suspended: AtomicU64,
    held: AtomicU64,
}

impl Tally {
    pub(super) fn add(&self, counts: Counts) {
        // Ordering: Relaxed; statistics.
        self.published
            .fetch_add(counts.published, Ordering::Relaxed);
        self.inline.fetch_add(counts.inline, Ordering::Relaxed);
        self.suspended
            .fetch_add(counts.suspended, Ordering::Relaxed);
        self.held.fetch_add(counts.held, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> Counts {
        // Ordering: Relaxed; statistics.
        Counts {
            published: self.published.load(Ordering::Relaxed),
            inline: self.inline.load(Ordering::Relaxed),
            suspended: self.suspended.load(Ordering::Relaxed),
            held: self.held.load(Ordering::Relaxed),
        }
    }
}
