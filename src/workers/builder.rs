//! What may be said about a pool.

use std::fmt;
use std::sync::Arc;

use super::error::PoolError;
use super::plan::Plan;
use super::pool::{Pool, Routing};
use super::restarts::Restarts;
use super::seats::Seats;
use crate::actor::Actor;
use crate::limits::POOL_WORKERS_DEFAULT;
use crate::supervise::Intensity;

/// A pool to be spawned: see [`Pool::builder`].
#[must_use = "nothing is spawned before `.spawn()`"]
pub struct PoolBuilder<A> {
    plan: Plan<A>,
    size: usize,
    routing: Routing,
    intensity: Intensity,
}

impl<A: Actor> PoolBuilder<A> {
    pub(super) fn new(factory: impl Fn() -> A + Send + Sync + 'static) -> Self {
        Self {
            plan: Plan::new(factory),
            size: POOL_WORKERS_DEFAULT,
            routing: Routing::RoundRobin,
            intensity: Intensity::default(),
        }
    }

    /// How many workers: 1 to [`POOL_WORKERS_MAX`](crate::limits::POOL_WORKERS_MAX).
    pub fn size(self, workers: usize) -> Self {
        Self {
            size: workers,
            ..self
        }
    }

    /// Who gets a message.
    pub fn routing(self, routing: Routing) -> Self {
        Self { routing, ..self }
    }

    /// The workers' name in errors and spans, instead of their type's.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.plan.name = Some(name.into());
        self
    }

    /// The slots of each worker's mailbox, instead of its type's.
    pub fn mailbox(mut self, slots: usize) -> Self {
        self.plan.mailbox = Some(slots);
        self
    }

    /// How often workers may be restarted, all together; beyond that the pool has failed. Three
    /// times within five seconds, unless it is said.
    pub fn intensity(self, intensity: Intensity) -> Self {
        Self { intensity, ..self }
    }

    /// Spawns the workers on the current tokio runtime. Each is built on its way: that a start
    /// fails is found out later, and counts as a restart.
    ///
    /// # Errors
    ///
    /// When the size or the mailbox's slots are out of range, when there is no runtime to spawn on,
    /// or its [policy](crate::set_resource_policy) refuses a worker.
    pub fn spawn(self) -> Result<Pool<A>, PoolError> {
        let seats = Arc::new(Seats::new(self.plan, Restarts::new(self.intensity)));
        seats.resize(self.size)?;
        Ok(Pool::new(seats, self.routing))
    }
}

impl<A> fmt::Debug for PoolBuilder<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolBuilder")
            .field("size", &self.size)
            .field("routing", &self.routing)
            .field("intensity", &self.intensity)
            .finish_non_exhaustive()
    }
}
