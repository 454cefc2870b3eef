//! A scope that owns the worlds of one computation.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::body::{Body, Counts, Live};
use super::end::Status;
use super::error::Closing;
use super::handlers::Handlers;
use super::lease::{Core, Lease};
use super::program::Program;
use super::run::Run;
use super::world::World;

/// A scope for runs of one program: every world that is opened or forked in it has a lease, and
/// closing it ends them all.
///
/// | at the close | becomes of it |
/// | --- | --- |
/// | a savepoint that is held | abandoned, newest first |
/// | a run that is driven | abandoned at its next savepoint with a handler |
/// | a run that somebody owns | stays with its owner; the close waits until it is dropped |
/// | a fork, or a run to be opened | refused |
///
/// Dropping a session closes it, and waits for nothing.
pub struct Session<P: Program> {
    core: Arc<Core<P>>,
    handlers: Handlers<P>,
}

/// A session in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Worlds that live.
    pub worlds: usize,
    /// Savepoints that are held.
    pub pending: usize,
    /// The most that were held at a time.
    pub pending_peak: usize,
    /// What became of the savepoints of runs that have ended.
    pub counts: Counts,
    /// How often it was looked whether the session can end.
    pub checks: u64,
    /// How often that led to a compare-exchange.
    pub exchanges: u64,
}

impl<P: Program> Session<P> {
    /// A session whose runs begin with these handlers.
    #[must_use]
    pub fn new(handlers: Handlers<P>) -> Self {
        let core = Core::new();
        Self { core, handlers }
    }

    /// A run in this session that has not begun.
    ///
    /// # Errors
    ///
    /// When the session closes. The world and the program are dropped then.
    pub fn prepare(&self, world: World, program: P) -> Result<Run<P>, Closing> {
        let lease = self.core.lease()?;
        let mut body = Body::new(world, program, self.handlers.clone());
        body.lease = Some(lease);
        Ok(Run::new(Live::new(Box::new(body)), Status::Ready))
    }

    /// Begins a run in this session, and drives it to its first stop.
    ///
    /// # Errors
    ///
    /// When the session closes. The world and the program are dropped then.
    pub fn open(&self, world: World, program: P) -> Result<Run<P>, Closing> {
        let mut run = self.prepare(world, program)?;
        run.advance(usize::MAX);
        Ok(run)
    }

    pub(super) fn lease(&self) -> Result<Lease<P>, Closing> {
        self.core.lease()
    }

    pub(super) fn handlers(&self) -> &Handlers<P> {
        &self.handlers
    }

    /// Closes the session: at once, whether the future is awaited or not. The future is done when
    /// no world of it lives any more; from then on nothing of it runs.
    pub fn close(&self) -> Close<P> {
        self.core.leases.close();
        for waiting in self.core.pending.close() {
            waiting.restore().abandon();
        }
        Close(self.core.clone())
    }

    /// Whether the session takes no new worlds.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.core.leases.is_closing()
    }

    /// The session in numbers.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let (pending, pending_peak) = self.core.pending.len_and_peak();
        let (checks, exchanges) = self.core.leases.checks_and_exchanges();
        Metrics {
            worlds: self.core.leases.count(),
            pending,
            pending_peak,
            counts: self.core.tally.counts(),
            checks,
            exchanges,
        }
    }
}

impl<P: Program> Drop for Session<P> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

impl<P: Program> fmt::Debug for Session<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("is_closing", &self.is_closing())
            .field("metrics", &self.metrics())
            .finish_non_exhaustive()
    }
}

/// Waits until no world of a session lives: the future of [`Session::close`].
#[must_use = "a session closes without it, but only this tells when"]
pub struct Close<P: Program>(Arc<Core<P>>);

impl<P: Program> Future for Close<P> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.0.leases.wait(context.waker()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl<P: Program> fmt::Debug for Close<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Close")
            .field("has_ended", &self.0.leases.has_ended())
            .finish()
    }
}
