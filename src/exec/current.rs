//! What a worker is running, for those who look from outside.
//!
//! The worker notes which unit it runs; since when is the monitor's to find out, so that a run
//! costs no look at the clock. No protocol rests on either, so they are not among what models
//! explore.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::slot::Epoch;
use crate::id::Id;

/// The unit has said that it blocks its thread.
const BLOCKS: u64 = 1 << 63;

/// The last unit that a slot's worker ran or runs.
#[derive(Debug, Default)]
pub(crate) struct Current {
    /// The unit's id, and `BLOCKS`. Written by the worker alone.
    unit: AtomicU64,
    /// The run that the monitor found to last, and since when, in nanoseconds after `origin`.
    /// Written by the monitor alone.
    stuck: AtomicUsize,
    since: AtomicU64,
}

impl Current {
    /// A unit is about to run.
    pub(crate) fn set(&self, id: Id) {
        // Ordering: Relaxed, as all in here; these are hints. Who reads compares epochs.
        self.unit.store(id.as_u64(), Ordering::Relaxed);
    }

    /// The unit that runs has said that it blocks its thread: it does so on purpose.
    pub(crate) fn set_blocks(&self) {
        let unit = self.unit.load(Ordering::Relaxed);
        self.unit.store(unit | BLOCKS, Ordering::Relaxed);
    }

    pub(crate) fn blocks(&self) -> bool {
        self.unit.load(Ordering::Relaxed) & BLOCKS != 0
    }

    /// The unit that was set last.
    pub(crate) fn id(&self) -> Option<Id> {
        NonZeroU64::new(self.unit.load(Ordering::Relaxed) & !BLOCKS).map(Id::from_raw)
    }

    /// The monitor has seen the run of this epoch last since then.
    pub(crate) fn set_since(&self, run: Epoch, since: Instant) {
        let since = since.saturating_duration_since(origin()).as_nanos();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.since.store(since, Ordering::Relaxed);
        self.stuck.store(run.bits(), Ordering::Relaxed);
    }

    /// How long the run of this epoch has lasted, as far as the monitor has seen it.
    pub(crate) fn lasted(&self, run: Epoch) -> Option<Duration> {
        if self.stuck.load(Ordering::Relaxed) != run.bits() {
            return None;
        }
        let since = Duration::from_nanos(self.since.load(Ordering::Relaxed));
        Some(origin().elapsed().saturating_sub(since))
    }
}

/// The instant that others are counted from.
fn origin() -> Instant {
    static ORIGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}
