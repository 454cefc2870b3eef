//! What keeps a session open as long as a world of it lives.

use std::sync::Arc;

use super::body::{Body, Counts, Image};
use super::error::{Closing, ForkError};
use super::leases::Leases;
use super::pending::Pending;
use super::program::Program;
use super::tally::Tally;

/// What all parts of a session share.
pub(super) struct Core<P: Program> {
    pub(super) leases: Leases,
    pub(super) pending: Pending<Waiting<P>>,
    pub(super) tally: Tally,
}

/// A run that is held.
pub(super) struct Waiting<P: Program> {
    pub(super) live: super::body::Live<P>,
    pub(super) image: Arc<Image<P>>,
}

impl<P: Program> Waiting<P> {
    /// Makes the run whole again. Clones what a fork is just now cloning.
    pub(super) fn restore(mut self) -> super::body::Live<P> {
        let image = Arc::try_unwrap(self.image).unwrap_or_else(|image| Image {
            program: image.program.clone(),
            point: image.point.clone(),
        });
        if let Some(body) = self.live.get_mut() {
            body.program = Some(image.program);
            body.point = Some(image.point);
        }
        self.live
    }
}

impl<P: Program> Core<P> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            leases: Leases::new(),
            pending: Pending::new(),
            tally: Tally::default(),
        })
    }

    pub(super) fn lease(self: &Arc<Self>) -> Result<Lease<P>, Closing> {
        match self.leases.admit() {
            true => Ok(Lease(self.clone())),
            false => Err(Closing),
        }
    }
}

/// One live world's part in a session.
pub(super) struct Lease<P: Program>(Arc<Core<P>>);

impl<P: Program> Lease<P> {
    pub(super) fn core(&self) -> &Arc<Core<P>> {
        &self.0
    }

    pub(super) fn another(&self) -> Result<Self, ForkError> {
        Ok(self.0.lease()?)
    }

    pub(super) fn count(&self, counts: Counts) {
        self.0.tally.add(counts);
    }
}

impl<P: Program> Drop for Lease<P> {
    fn drop(&mut self) {
        self.0.leases.leave();
    }
}

impl<P: Program> Body<P> {
    /// Whether its session wants it to end.
    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        match &self.lease {
            Some(lease) => lease.0.leases.is_closing(),
            None => false,
        }
    }
}
