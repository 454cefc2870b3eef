//! What may be said about a queue of jobs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::super::error::PoolError;
use super::super::plan::Plan;
use super::super::restarts::Restarts;
use super::error::Discard;
use super::line::Line;
use super::rate::Rate;
use super::{WhenFull, WorkQueue};
use crate::actor::Handler;
use crate::limits::{MAILBOX_MAX, POOL_QUEUE_DEFAULT, POOL_WORKERS_DEFAULT};
use crate::supervise::Intensity;

/// What the parts of a queue go by.
pub(super) struct Options<A, J> {
    pub(super) plan: Plan<A>,
    pub(super) when_full: WhenFull,
    pub(super) discarded: Option<Box<dyn Fn(J, Discard) + Send + Sync>>,
    pub(super) retries: u32,
    pub(super) copy: Option<fn(&J) -> J>,
    pub(super) limit: Option<Duration>,
}

/// A queue of jobs to be spawned: see [`WorkQueue::builder`].
#[must_use = "nothing is spawned before `.spawn()`"]
pub struct QueueBuilder<A, J> {
    options: Options<A, J>,
    workers: usize,
    capacity: usize,
    rate: Option<(u32, Duration)>,
    intensity: Intensity,
}

impl<A: Handler<J>, J: Send + 'static> QueueBuilder<A, J> {
    pub(super) fn new(factory: impl Fn() -> A + Send + Sync + 'static) -> Self {
        Self {
            options: Options {
                plan: Plan::new(factory),
                when_full: WhenFull::Wait,
                discarded: None,
                retries: 0,
                copy: None,
                limit: None,
            },
            workers: POOL_WORKERS_DEFAULT,
            capacity: POOL_QUEUE_DEFAULT,
            rate: None,
            intensity: Intensity::default(),
        }
    }

    /// How many workers: 1 to [`POOL_WORKERS_MAX`](crate::limits::POOL_WORKERS_MAX). Each is
    /// spawned for its first job.
    pub fn workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// How many jobs may wait: 1 to [`MAILBOX_MAX`](crate::limits::MAILBOX_MAX). Memory is taken
    /// as they come.
    pub fn capacity(self, jobs: usize) -> Self {
        Self {
            capacity: jobs,
            ..self
        }
    }

    /// The workers' name in errors and spans, instead of their type's.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.plan.name = Some(name.into());
        self
    }

    /// What becomes of a job that finds the queue full.
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.options.when_full = when_full;
        self
    }

    /// Takes the jobs that are discarded. It runs where that happens, on a sender's thread or a
    /// worker's, without a lock; a panic in it goes no further.
    pub fn on_discard<F>(mut self, hook: F) -> Self
    where
        F: Fn(J, Discard) + Send + Sync + 'static,
    {
        self.options.discarded = Some(Box::new(hook));
        self
    }

    /// How often a job is done again whose worker crashed at it: 0 unless it is said. Jobs are
    /// cloned for it, before each try but the last.
    pub fn retries(mut self, retries: u32) -> Self
    where
        J: Clone,
    {
        self.options.retries = retries;
        self.options.copy = Some(J::clone);
        self
    }

    /// How long a worker may be at one job. Then it is killed and replaced, and the asker is told;
    /// the job is not done again. A handler that does not come to an `.await` can't be killed: it
    /// goes on beside its successor until it does, on its worker thread. Jobs of such a queue never
    /// run inline.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.options.limit = Some(limit);
        self
    }

    /// How many jobs may begin within `per`, by tokio's clock: up to `jobs` at once, and then one
    /// in each `per / jobs`.
    pub fn rate(self, jobs: u32, per: Duration) -> Self {
        Self {
            rate: Some((jobs, per)),
            ..self
        }
    }

    /// How often workers may be replaced, all together; beyond that the queue has failed. Three
    /// times within five seconds, unless it is said.
    pub fn intensity(self, intensity: Intensity) -> Self {
        Self { intensity, ..self }
    }

    /// Spawns it on the current tokio runtime.
    ///
    /// # Errors
    ///
    /// When a number is out of range, or there is no runtime to spawn on.
    pub fn spawn(self) -> Result<WorkQueue<A, J>, PoolError> {
        if self.capacity == 0 || self.capacity > MAILBOX_MAX {
            return Err(PoolError::Queue(self.capacity));
        }
        let rate = self
            .rate
            .map(|(jobs, per)| Rate::new(jobs, per).ok_or(PoolError::Rate));
        let restarts = Restarts::new(self.intensity);
        let line = Line::new(self.options, restarts, rate.transpose()?, self.capacity);
        let line = Arc::new(line);
        line.staff(self.workers)?;
        Ok(WorkQueue::new(line))
    }
}

impl<A, J> fmt::Debug for QueueBuilder<A, J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueBuilder")
            .field("workers", &self.workers)
            .field("capacity", &self.capacity)
            .field("when_full", &self.options.when_full)
            .field("retries", &self.options.retries)
            .field("limit", &self.options.limit)
            .field("rate", &self.rate)
            .field("intensity", &self.intensity)
            .finish_non_exhaustive()
    }
}
