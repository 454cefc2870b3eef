//! How a message lies in its envelope.

use crate::pool::PoolBox;

/// How a message lies in its envelope: as it is, or boxed.
pub(super) trait Carrier<M>: Send + 'static {
    fn unload(self) -> M;
    fn peek(&self) -> &M;
}

/// As it is.
#[repr(transparent)]
pub(in crate::actor) struct Bare<M>(pub(super) M);

impl<M: Send + 'static> Carrier<M> for Bare<M> {
    fn unload(self) -> M {
        self.0
    }

    fn peek(&self) -> &M {
        &self.0
    }
}

impl<M: Send + 'static> Carrier<M> for PoolBox<M> {
    fn unload(self) -> M {
        self.into_inner()
    }

    fn peek(&self) -> &M {
        self
    }
}
