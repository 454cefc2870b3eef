//! What an executor has done, in numbers.

use super::core::Core;
use super::slot::Slot;
use std::sync::atomic::Ordering;

/// A reading of an executor's counters. They are read one by one, not at one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// One entry per worker slot; the slots of spare workers come last.
    pub workers: Vec<WorkerMetrics>,
    /// Units in the global queue.
    pub injector_depth: usize,
    /// Tasks and actors that have not ended.
    pub live: usize,
    /// Workers that wait for work.
    pub sleeping: usize,
}

/// A reading of one worker's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerMetrics {
    /// Activations of tasks and actors.
    pub polls: u64,
    /// Activations of what the unit before had woken last.
    pub lifo_hits: u64,
    /// Units taken from other workers.
    pub steals: u64,
    /// Units taken from the global queue.
    pub injected: u64,
    /// Times that the worker went to sleep.
    pub parks: u64,
    /// Turns that the host gave to the worker.
    pub turns: u64,
    /// Units that were handed on because the worker was stuck in a poll.
    pub handed_over: u64,
    /// Units in the worker's queue.
    pub queue_depth: usize,
}

impl Metrics {
    pub(super) fn read(core: &Core) -> Self {
        Self {
            workers: core
                .slots()
                .iter()
                .map(|slot| WorkerMetrics::read(slot))
                .collect(),
            injector_depth: core.injector().len(),
            live: core.owned().len(),
            sleeping: core.idle().sleeping(),
        }
    }
}

impl WorkerMetrics {
    fn read(slot: &Slot) -> Self {
        let stats = &slot.stats;
        // Ordering: Relaxed; a statistic.
        let handed_over = stats.handed_over.load(Ordering::Relaxed);
        Self {
            polls: stats.polls.get(),
            lifo_hits: stats.lifo_hits.get(),
            steals: stats.steals.get(),
            injected: stats.injected.get(),
            parks: stats.parks.get(),
            turns: stats.turns.get(),
            handed_over,
            queue_depth: slot.ring().len() + usize::from(slot.has_lifo()),
        }
    }
}
