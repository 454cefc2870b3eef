//! When nobody need look at the edges.
//!
//! | who looks | an edge goes in |
//! | --- | --- |
//! | S1: `resting` = true | B1: into its shard, under the lock |
//! | S2: looks into each shard, under its lock | B2: reads `resting`; if true, takes it and wakes |
//! | S3: rests, if there was no edge | |
//!
//! Of S2 and B1 at one shard one is first. If B1 is, S2 finds the edge; if S2 is, B2 sees S1, which
//! the lock has ordered before it.

use super::Edges;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Whether who looks at the edges rests.
#[derive(Debug)]
pub(crate) struct Rest(AtomicBool);

impl Rest {
    /// At rest.
    #[cfg(not(greenroom_loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(true))
    }

    #[cfg(greenroom_loom)]
    pub(crate) fn new() -> Self {
        Self(AtomicBool::new(true))
    }

    /// An edge went in: whether the caller has to wake who rests.
    #[inline]
    pub(crate) fn end(&self) -> bool {
        // B2. Ordering: Relaxed; the shard's lock orders it. AcqRel: of many that find it true one
        // wakes; pairs with `lasts`.
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::AcqRel)
    }

    /// Begins to rest, unless there are edges.
    pub(crate) fn begin<L: Clone>(&self, edges: &Edges<L>) {
        // S1. Ordering: Release; pairs with the swap in `end`.
        self.0.store(true, Ordering::Release);
        // S2
        if !edges.is_empty() {
            // Ordering: Relaxed; who took it meanwhile has woken in vain.
            self.0.store(false, Ordering::Relaxed);
        }
    }

    /// S3: whether it goes on.
    pub(crate) fn lasts(&self) -> bool {
        // Ordering: Acquire; pairs with the swap in `end`.
        self.0.load(Ordering::Acquire)
    }
}
