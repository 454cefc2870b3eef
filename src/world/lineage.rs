//! What tells worlds, and what they were at some moment, from each other.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::id::Id;

/// Which world this is, and where it comes from.
///
/// It names the parent and does not keep it: no world keeps another alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage {
    /// The world's own identity: unique in the process, and no other world's ever.
    pub id: Id,
    /// The world that this one was forked from.
    pub parent: Option<Id>,
    /// How many forks lie between this world and one that was made anew.
    pub generation: u64,
    /// The parent's revision then.
    pub(super) forked_from: Option<Revision>,
}

impl Lineage {
    pub(super) fn root() -> Self {
        Self {
            id: Id::next(),
            parent: None,
            generation: 0,
            forked_from: None,
        }
    }
}

/// What a world's state was at some moment: equal revisions are equal states, of whichever world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision(u64);

impl Revision {
    pub(super) fn mint() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Ordering: Relaxed; only uniqueness matters, and an RMW gives that.
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
