//! Where an actor lives, if somebody has put it elsewhere than in the process at large.

use std::any::Any;
use std::sync::Arc;

use super::cell::Head;
use super::context::Context;

/// A place, as the module knows that puts actors there.
pub(crate) type Place = Arc<dyn Any + Send + Sync>;

impl Head {
    fn place(&self) -> Option<&Place> {
        self.extras()?.place.as_ref()
    }

    /// Passes on where the actor lives whose code this thread runs.
    pub(crate) fn with_place<R>(f: impl FnOnce(&Place) -> R) -> Option<R> {
        Self::with_current(|head| head.place().map(f))?
    }
}

impl<A> Context<A> {
    /// Where the actor lives, if somebody has put it there.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.head().place()
    }
}
