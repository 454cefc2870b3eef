//! Recipients in other processes, as this module knows them.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::actor::error::{AskError, Refusal, TellError};
use crate::actor::identity::Identity;
use crate::actor::timed::Due;

/// An actor of another process, to tell messages to.
pub(crate) trait FarTo<M>: Send + Sync {
    fn identity(&self) -> Identity;

    /// A tell. It does nothing until it is polled.
    fn tell(&self, message: M) -> Box<dyn FarTell<M>>;

    /// Tells without waiting.
    fn try_tell(&self, message: M) -> Result<(), TellError<M>>;
}

/// A message on its way there. Dropped, it is withdrawn, unless it was sent.
pub(crate) trait FarTell<M>: Send + Sync {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>>;

    /// Takes the message back, unless it was sent.
    fn give_up(&mut self, refusal: Refusal) -> Result<(), TellError<M>>;

    /// As `give_up`.
    fn cancel(&mut self) -> Option<M>;
}

/// An actor of another process that answers.
pub(crate) trait FarAsks<M, T, E>: Send + Sync {
    fn identity(&self) -> Identity;

    /// An ask. It does nothing until it is polled.
    fn ask(&self, message: M) -> Box<dyn FarAsk<T, E>>;

    /// The same actor, for tells.
    fn teller(&self) -> Arc<dyn FarTo<M>>;
}

/// An ask of it.
pub(crate) trait FarAsk<T, E>: Send + Sync {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, AskError<E>>>;

    /// Before the first poll: it has a deadline.
    fn begin(&mut self, due: Due) -> Option<Result<T, AskError<E>>>;

    /// The limit passed: withdraws what was not sent.
    fn expire(&mut self, limit: Duration) -> Result<T, AskError<E>>;
}
