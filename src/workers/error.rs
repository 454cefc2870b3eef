//! What can be wrong with workers.

use std::fmt;

use crate::actor::{ExitReason, Identity, SpawnErrorKind};
use crate::error::Error;
use crate::limits::{MAILBOX_MAX, POOL_WORKERS_MAX};

/// Why there is no pool of workers, or no longer one that works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PoolError {
    /// A pool can't have this many workers.
    Size(usize),
    /// A queue can't have room for this many jobs.
    Queue(usize),
    /// A rate has to let jobs through, at most one a nanosecond, in a time that clocks tell.
    Rate,
    /// A worker was not spawned.
    Spawn(SpawnErrorKind),
    /// Workers have ended too often: more often than the pool's
    /// [`Intensity`](crate::Intensity) allows.
    Restarts {
        /// The last to end.
        worker: Identity,
        /// How that ended.
        reason: ExitReason,
    },
    /// The pool was told to end.
    Ended,
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "a pool has 1 to {POOL_WORKERS_MAX} workers, not {size}"),
            Self::Queue(jobs) => write!(
                f,
                "a queue has room for 1 to {MAILBOX_MAX} jobs, not {jobs}"
            ),
            Self::Rate => f.write_str(
                "a rate lets jobs through, at most one a nanosecond, in a time that clocks tell",
            ),
            Self::Spawn(kind) => write!(f, "a worker was not spawned: {kind}"),
            Self::Restarts { worker, reason } => {
                write!(
                    f,
                    "workers have ended too often, at last {worker}: {reason}"
                )
            }
            Self::Ended => f.write_str("the pool was told to end"),
        }
    }
}

impl std::error::Error for PoolError {}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        Self::new(error)
    }
}
