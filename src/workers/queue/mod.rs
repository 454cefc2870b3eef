//! Queues of jobs: all wait in one line, and whoever is idle takes the next.

mod builder;
mod entry;
mod error;
mod feeder;
mod line;
mod rate;
mod steward;

use std::fmt;
use std::sync::Arc;

pub use builder::QueueBuilder;
pub use entry::JobResult;
pub use error::{Discard, JobError, QueueError, QueueRefusal};
pub use line::QueueStats;
use line::{Line, Phase};
use tokio::sync::oneshot;

use super::error::PoolError;
use crate::actor::Handler;

/// What becomes of a job that finds the queue full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenFull {
    /// It waits with its sender, in line.
    #[default]
    Wait,
    /// It is handed back.
    Reject,
    /// It is discarded.
    DropNewest,
    /// It comes in for the job that has waited longest, which is discarded.
    DropOldest,
}

/// Jobs in one bounded queue, and workers of which each idle one takes the next.
///
/// A worker is an actor that handles the jobs' type as a message. It has one job at a time, so that
/// none waits behind a slow one while another worker is idle.
///
/// ```
/// use greenroom::{WorkQueue, actor};
///
/// #[derive(Clone)]
/// pub struct Resize { width: u32 }
///
/// #[actor]
/// struct Resizer;
///
/// #[actor]
/// impl Resizer {
///     #[message]
///     async fn resize(&mut self, job: Resize) -> u32 { job.width / 2 }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let queue = WorkQueue::builder(|| Resizer).workers(2).capacity(100).retries(1).spawn()?;
/// assert_eq!(queue.ask(Resize { width: 640 }).await?, 320);
/// queue.tell(Resize { width: 800 }).await?; // waits until it is in the queue
/// queue.drain().await; // nothing comes in, all that is in is done
/// assert_eq!(queue.stats().done, 2);
/// # Ok(()) }
/// ```
///
/// - **At most once**, unless [`QueueBuilder::retries`] says otherwise: a job whose worker crashes
///   before it has begun is given to another; one that was being done is lost: its asker is told.
///   With retries it is done again by the worker's successor, before what waits.
/// - **Jobs begin in order** of their acceptance.
/// - **A worker that ends is replaced** when there is a job for it, by the factory; beyond the
///   [`Intensity`](crate::Intensity) the queue has failed: what waits is discarded, and nothing is
///   taken any more.
/// - **The last clone** that is dropped leaves the workers with what is in the queue: they do it,
///   and end.
pub struct WorkQueue<A: Handler<J>, J: Send + 'static>(Arc<Owner<A, J>>);

/// Ends the queue with its last clone.
struct Owner<A: Handler<J>, J: Send + 'static>(Arc<Line<A, J>>);

impl<A: Handler<J>, J: Send + 'static> Drop for Owner<A, J> {
    fn drop(&mut self) {
        self.0.close(Phase::Draining);
    }
}

impl<A: Handler<J>, J: Send + 'static> WorkQueue<A, J> {
    /// A queue for workers that `factory` makes, to be spawned.
    pub fn builder<F>(factory: F) -> QueueBuilder<A, J>
    where
        F: Fn() -> A + Send + Sync + 'static,
    {
        QueueBuilder::new(factory)
    }

    fn new(line: Arc<Line<A, J>>) -> Self {
        Self(Arc::new(Owner(line)))
    }

    /// Has a job done, and waits for its result.
    ///
    /// # Errors
    ///
    /// When it was not taken, was discarded, or its worker failed at it; see [`JobError`].
    ///
    /// # Cancel safety
    ///
    /// Dropped before the job is in the queue, the job is dropped with it. Dropped while that
    /// waits, it is discarded in its turn; one that was begun goes on.
    pub async fn ask(&self, job: J) -> JobResult<A, J> {
        let (asker, answer) = oneshot::channel();
        let line = &self.0.0;
        line.submit(job, Some(asker))
            .await
            .map_err(JobError::NotTaken)?;
        match answer.await {
            Ok(result) => result,
            Err(_) => Err(JobError::Discarded(Discard::RuntimeGone)),
        }
    }

    /// Has a job done: returns when it is in the queue, or is discarded for want of room.
    ///
    /// # Errors
    ///
    /// When it was not taken; it is handed back.
    ///
    /// # Cancel safety
    ///
    /// Dropped before the job is in the queue, the job is dropped with it.
    pub async fn tell(&self, job: J) -> Result<(), QueueError<J>> {
        self.0.0.submit(job, None).await
    }

    /// As [`WorkQueue::tell`], without waiting.
    ///
    /// # Errors
    ///
    /// When it was not taken, also where it would have to wait; it is handed back.
    pub fn try_tell(&self, job: J) -> Result<(), QueueError<J>> {
        self.0.0.try_submit(job, None)
    }

    /// Changes the number of workers: 1 to
    /// [`POOL_WORKERS_MAX`](crate::limits::POOL_WORKERS_MAX). It grows at once; those that are left
    /// out do the job that they have, and end.
    ///
    /// # Errors
    ///
    /// When the number is out of range, there is no runtime here, or the queue takes no jobs.
    pub fn resize(&self, workers: usize) -> Result<(), PoolError> {
        self.0.0.staff(workers)
    }

    /// Ends the queue for all its clones: it takes no more jobs, all that it has taken are done,
    /// and the workers end. Done when they have.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the queue takes no jobs all the same if it was polled.
    pub async fn drain(&self) {
        self.0.0.close(Phase::Draining);
        self.0.0.until_left().await;
    }

    /// The queue in numbers, taken at one instant.
    #[must_use]
    pub fn stats(&self) -> QueueStats {
        self.0.0.stats()
    }

    /// Why it works no more, if so.
    #[must_use]
    pub fn failure(&self) -> Option<PoolError> {
        self.0.0.failure()
    }
}

impl<A: Handler<J>, J: Send + 'static> Clone for WorkQueue<A, J> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Handler<J>, J: Send + 'static> fmt::Debug for WorkQueue<A, J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkQueue").field(&self.stats()).finish()
    }
}
