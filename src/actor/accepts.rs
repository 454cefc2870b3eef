//! Asks of which it can be seen whether they wait for room or for their reply.

use std::future::Future;

use super::request::Request;
use super::timed::{Limited, Timed};
use super::traits::Handler;

/// One of this process, as it is polled.
pub(crate) trait Accepts: Future {
    /// Whether the actor has accepted the message, or is handling it.
    fn is_accepted(&self) -> bool;
}

impl<A: Handler<M>, M: Send + 'static> Accepts for Request<'_, A, M> {
    fn is_accepted(&self) -> bool {
        self.ask().is_accepted()
    }
}

impl<T: Accepts + Limited> Accepts for Timed<T> {
    fn is_accepted(&self) -> bool {
        self.request().is_accepted()
    }
}
