//! Workers: actors of one type that share the work.

mod builder;
mod error;
mod plan;
mod pool;
mod queue;
mod restarts;
mod seats;

pub use builder::PoolBuilder;
pub use error::PoolError;
pub use pool::{Pool, Routing};
pub use queue::{
    Discard, JobError, JobResult, QueueBuilder, QueueError, QueueRefusal, QueueStats, WhenFull,
    WorkQueue,
};
