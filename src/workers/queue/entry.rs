//! A job in the queue, and what its asker gets.

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::error::JobError;
use crate::actor::{Handler, Shape};

type Shown<A, J> = <A as Handler<J>>::Shape;
type Ok<A, J> = <Shown<A, J> as Shape<<A as Handler<J>>::Reply>>::Ok;
type Failure<A, J> = <Shown<A, J> as Shape<<A as Handler<J>>::Reply>>::Err;

/// What asking a [`WorkQueue`](crate::WorkQueue) of `A`s to do a `J` gives.
pub type JobResult<A, J> = Result<Ok<A, J>, JobError<J, Failure<A, J>>>;

/// Whom the result is for.
pub(super) type Asker<A, J> = oneshot::Sender<JobResult<A, J>>;

pub(super) struct Entry<A: Handler<J>, J: Send + 'static> {
    pub(super) job: J,
    pub(super) asker: Option<Asker<A, J>>,
    /// Its place in the queue, which is free as it is taken out.
    pub(super) place: OwnedSemaphorePermit,
}

impl<A: Handler<J>, J: Send + 'static> Entry<A, J> {
    /// Whether nobody waits for it any more.
    pub(super) fn is_forsaken(&self) -> bool {
        self.asker.as_ref().is_some_and(oneshot::Sender::is_closed)
    }
}
