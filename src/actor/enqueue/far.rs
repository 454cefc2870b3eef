//! A reply that comes from another process.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::actor::error::AskError;
use crate::actor::identity::Identity;

/// The wait for it.
pub(crate) trait FarReply<T, E>: Send + Sync + UnwindSafe + RefUnwindSafe {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, AskError<E>>>;

    /// The limit passed.
    fn expire(&mut self, limit: Duration) -> Result<T, AskError<E>>;

    fn identity(&self) -> Identity;
}
