//! What an executor has done, in numbers.

use super::core::Core;
use super::slot::Slot;
use crate::id::Id;
use crate::task::{Loss, Losses};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A reading of a scheduler's counters, from [`Handle::metrics`](super::runtime::Handle::metrics).
/// They are read one by one, not at one instant.
///
/// A *spare worker* stands in for a worker that is stuck in a long poll, and goes when that one
/// goes on. There are as many slots for spares as workers; none on a current-thread runtime, which
/// has no other thread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// One entry per worker slot; the slots of spare workers come last. So there are more than the
    /// runtime has workers: `tokio::runtime::Handle::current().metrics().num_workers()` says those.
    pub workers: Vec<WorkerMetrics>,
    /// Tasks and actors in the global queue.
    pub global_queue_depth: usize,
    /// Tasks of background priority that wait for a worker.
    pub background_queue_depth: usize,
    /// Tasks and actors that have not ended.
    pub live: usize,
    /// Workers that wait for work.
    pub sleeping: usize,
    /// Messages to its actors that were accepted and not handled, and had no asker to go back to.
    pub undelivered: UndeliveredMetrics,
    /// Replies of its actors whose asker had gone before.
    pub late_replies: u64,
}

/// A reading of the counters of messages that were not delivered, by
/// [reason](crate::UndeliveredReason).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndeliveredMetrics {
    /// Their actor ended before.
    pub ended: u64,
    /// The mailbox was full, and what it does then is to drop one.
    pub overflow: u64,
    /// Their asker went while they were queued.
    pub asker_gone: u64,
    /// Their deadline passed while they were queued.
    pub expired: u64,
}

/// A reading of the counters of one worker slot. Spares that use a slot one after the other go
/// on counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerMetrics {
    /// How often it ran a task or an actor; an actor handles several messages in one run.
    pub polls: u64,
    /// How many of these ran what the one before had woken last.
    pub lifo_hits: u64,
    /// Tasks and actors taken from other workers.
    pub steals: u64,
    /// Tasks and actors taken from the global queue.
    pub injected: u64,
    /// Times that the worker went to sleep.
    pub parks: u64,
    /// Times that tokio polled the worker; each time it runs a batch.
    pub turns: u64,
    /// Tasks and actors taken off its queue because it was stuck in a poll.
    pub handed_over: u64,
    /// How long it ran turns, from the first look for work to the last poll. Counted when a turn
    /// ends; zero on a runtime with a seed, which reads no clock.
    pub busy: Duration,
    /// Tasks and actors in the worker's queue.
    pub queue_depth: usize,
    /// The task or actor that it runs at the moment.
    pub running: Option<Id>,
    /// How long that run has lasted, as far as the monitor has seen it: `None` for one that began
    /// after its last look, and where there is no monitor.
    pub running_for: Option<Duration>,
}

impl Metrics {
    pub(super) fn read(core: &Core, losses: &Losses) -> Self {
        Self {
            workers: core
                .slots()
                .iter()
                .map(|slot| WorkerMetrics::read(slot))
                .collect(),
            global_queue_depth: core.injector().len(),
            background_queue_depth: core.background().len(),
            live: core.owned().len(),
            sleeping: core.idle().sleeping(),
            undelivered: UndeliveredMetrics {
                ended: losses.get(Loss::Ended),
                overflow: losses.get(Loss::Overflow),
                asker_gone: losses.get(Loss::AskerGone),
                expired: losses.get(Loss::Expired),
            },
            late_replies: losses.get(Loss::Reply),
        }
    }
}

impl WorkerMetrics {
    fn read(slot: &Slot) -> Self {
        let stats = &slot.stats;
        // Ordering: Relaxed; a statistic.
        let handed_over = stats.handed_over.load(Ordering::Relaxed);
        let running = slot.running();
        Self {
            polls: stats.polls.get(),
            lifo_hits: stats.lifo_hits.get(),
            steals: stats.steals.get(),
            injected: stats.injected.get(),
            parks: stats.parks.get(),
            turns: stats.turns.get(),
            handed_over,
            busy: Duration::from_nanos(stats.busy_ns.get()),
            queue_depth: slot.ring().len() + usize::from(slot.has_lifo()),
            running: running.map(|(id, _)| id),
            running_for: running.and_then(|(_, lasted)| lasted),
        }
    }
}
