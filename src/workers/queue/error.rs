//! What can become of a job.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::super::error::PoolError;
use crate::actor::{AskError, Identity};
use crate::error::{BoxError, Error};

/// Why a queue did not take a job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum QueueRefusal {
    /// It is full.
    Full,
    /// It is being drained.
    Draining,
    /// It has failed.
    Failed(PoolError),
}

impl fmt::Display for QueueRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the queue is full"),
            Self::Draining => f.write_str("the queue is being drained"),
            Self::Failed(failure) => write!(f, "the queue has failed: {failure}"),
        }
    }
}

/// A job that was not taken. It is handed back.
pub struct QueueError<J> {
    refusal: QueueRefusal,
    // So that the error is `Sync` whatever the job.
    job: Mutex<J>,
}

impl<J> QueueError<J> {
    pub(super) fn new(refusal: QueueRefusal, job: J) -> Self {
        Self {
            refusal,
            job: Mutex::new(job),
        }
    }

    /// Why.
    #[must_use]
    pub fn refusal(&self) -> &QueueRefusal {
        &self.refusal
    }

    /// The job.
    #[must_use]
    pub fn into_job(self) -> J {
        self.job
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J> fmt::Display for QueueError<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the job was not taken: {}", self.refusal)
    }
}

impl<J> fmt::Debug for QueueError<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("QueueError");
        debug
            .field("refusal", &self.refusal)
            .finish_non_exhaustive()
    }
}

impl<J> std::error::Error for QueueError<J> {}

impl<J: Send + 'static> From<QueueError<J>> for Error {
    fn from(error: QueueError<J>) -> Self {
        Self::new(error)
    }
}

/// Why a job was discarded that nobody has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Discard {
    /// It found the queue full: [`WhenFull::DropNewest`](crate::WhenFull::DropNewest).
    Newest,
    /// It made room for another: [`WhenFull::DropOldest`](crate::WhenFull::DropOldest).
    Oldest,
    /// Its asker had gone when its turn came.
    AskerGone,
    /// The queue has failed.
    Failed,
    /// The runtime of the workers has ended, perhaps in the midst of the job. No hook is told.
    RuntimeGone,
}

impl fmt::Display for Discard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Newest => "the queue was full",
            Self::Oldest => "it made room for another in a full queue",
            Self::AskerGone => "its asker had gone",
            Self::Failed => "the queue has failed",
            Self::RuntimeGone => "the runtime of its workers has ended",
        })
    }
}

/// A job that gave no result.
#[non_exhaustive]
pub enum JobError<J, E = Infallible> {
    /// The queue did not take it; it is handed back.
    NotTaken(QueueError<J>),
    /// It was taken, and discarded before anybody began it, unless the runtime of the workers has
    /// ended. The queue's hook has it.
    Discarded(Discard),
    /// Its worker was at it for longer than [`QueueBuilder::limit`](crate::QueueBuilder::limit)
    /// allows, and was killed. What it had done by then, it has done.
    Stuck {
        /// The worker.
        worker: Identity,
        /// The limit.
        limit: Duration,
    },
    /// Its worker had it, and this is what asking it gave: the handler's own error, or how it was
    /// cut short.
    Ask(AskError<E>),
}

impl<J, E: fmt::Display> fmt::Display for JobError<J, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTaken(error) => error.fmt(f),
            Self::Discarded(why) => write!(f, "the job was discarded: {why}"),
            Self::Stuck { worker, limit } => {
                write!(
                    f,
                    "{worker} was at the job for more than {limit:?} and was killed"
                )
            }
            Self::Ask(error) => error.fmt(f),
        }
    }
}

impl<J, E: fmt::Debug> fmt::Debug for JobError<J, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTaken(error) => error.fmt(f),
            Self::Discarded(why) => f.debug_tuple("Discarded").field(why).finish(),
            Self::Stuck { worker, limit } => {
                let mut debug = f.debug_struct("Stuck");
                debug.field("worker", worker).field("limit", limit).finish()
            }
            Self::Ask(error) => error.fmt(f),
        }
    }
}

impl<J, E: std::error::Error + 'static> std::error::Error for JobError<J, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Ask(error) => error.source(),
            _ => None,
        }
    }
}

impl<J: Send + 'static, E> From<JobError<J, E>> for Error
where
    E: Into<BoxError>,
{
    fn from(error: JobError<J, E>) -> Self {
        match error {
            JobError::Ask(error) => error.into(),
            JobError::NotTaken(error) => error.into(),
            JobError::Discarded(why) => Self::new(JobError::<J>::Discarded(why)),
            JobError::Stuck { worker, limit } => Self::new(JobError::<J>::Stuck { worker, limit }),
        }
    }
}
