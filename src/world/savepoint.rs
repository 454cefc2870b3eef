//! A savepoint, in the hands of its handler.

use std::cell::RefCell;
use std::fmt;

use super::address::{Address, Site};
use super::body::{Answer, Body, Live};
use super::end::Status;
use super::error::ForkError;
use super::handlers::Handlers;
use super::held::Held;
use super::program::Program;
use super::run::Run;
use super::seed::Stream;
use super::world::{Options, World};

/// The rest of a computation, stopped where it offers something, for its handler to decide about.
///
/// As long as it is borrowed nobody else can see its world. So answering it here costs no entry in
/// a table and no claim.
///
/// | | effect | uses it up |
/// | --- | --- | --- |
/// | [`resume`](Self::resume) | the rest runs with this value, once the handler returns | yes |
/// | [`fork`](Self::fork) | the same savepoint, waiting in a new world | no |
/// | [`abandon`](Self::abandon) | the rest is dropped, and the run ends | yes |
/// | [`hold`](Self::hold) | whoever claims it answers it, on any thread | yes |
/// | dropping it | it waits for the run's owner; without one it is abandoned | no |
pub struct Savepoint<'a, P: Program> {
    // Borrowed for the length of a call only: `fork` needs it mutable behind `&self`.
    slot: RefCell<&'a mut Slot<P>>,
    handlers: &'a Handlers<P>,
    site: Site,
    address: Address,
}

/// What a driver lends to a handler.
pub(super) struct Slot<P: Program> {
    pub(super) live: Live<P>,
    /// Set when the handler has held the run, and so taken it out.
    pub(super) held: Option<Held<P>>,
}

impl<'a, P: Program> Savepoint<'a, P> {
    #[inline]
    pub(super) fn new(
        slot: &'a mut Slot<P>,
        handlers: &'a Handlers<P>,
        (site, address): (Site, Address),
    ) -> Self {
        Self {
            slot: RefCell::new(slot),
            handlers,
            site,
            address,
        }
    }

    /// Which kind of point it is.
    #[inline]
    #[must_use]
    pub fn site(&self) -> Site {
        self.site
    }

    /// Which occurrence of it.
    #[inline]
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }

    /// The numbers that decide this occurrence, in worlds of one seed.
    #[inline]
    pub fn stream(&mut self) -> Stream {
        let what = self.address.as_u64();
        self.world().stream(what)
    }

    /// What the program offers.
    #[inline]
    pub fn payload(&mut self) -> &P::Payload {
        self.split().0
    }

    /// The world, which is the handler's to read and write until it answers.
    #[inline]
    pub fn world(&mut self) -> &mut World {
        &mut self.body().world
    }

    /// Both at once.
    #[inline]
    pub fn split(&mut self) -> (&P::Payload, &mut World) {
        let body = self.body();
        match &body.point {
            Some(point) => (&point.payload, &mut body.world),
            None => unreachable!("a savepoint is with its handler until that answers it"),
        }
    }

    /// The rest runs, with this value, once the handler has returned.
    #[inline]
    pub fn resume(mut self, value: P::Value) {
        let body = self.body();
        body.point = None;
        body.answer = Answer::Resume(value);
    }

    /// The rest is dropped, and the run ends as abandoned.
    pub fn abandon(mut self) {
        self.body().answer = Answer::Abandon;
    }

    /// The same savepoint, waiting in a new world that is as this one is now. The fork is the
    /// caller's; nothing runs in it before that resumes it.
    ///
    /// # Errors
    ///
    /// When the session closes.
    pub fn fork(&self) -> Result<Run<P>, ForkError> {
        self.fork_with(Options::new())
    }

    /// The same with a seed or a grant. Other handlers: [`Run::set_handlers`] of the fork.
    ///
    /// # Errors
    ///
    /// When the session closes, or this world cannot pay the grant.
    pub fn fork_with(&self, options: Options) -> Result<Run<P>, ForkError> {
        let mut slot = self.slot.borrow_mut();
        let Some(body) = slot.live.get_mut() else {
            return Err(ForkError::NotPending);
        };
        let fork = body.fork(Some(self.handlers), options)?;
        Ok(Run::new(Live::new(fork), Status::Suspended))
    }

    /// Publishes it, for whoever claims it first. In a session that closes it is abandoned, and
    /// what is returned is not pending.
    pub fn hold(self) -> Held<P> {
        let slot = self.slot.into_inner();
        let mut live = slot.live.take();
        if let Some(body) = live.get_mut() {
            body.counts.held += 1;
            body.handlers.get_or_insert_with(|| self.handlers.clone());
        }
        let held = Held::publish(live, self.site, self.address);
        slot.held = Some(held.clone());
        held
    }

    /// The handlers of this world from the next savepoint on; its forks inherit them.
    pub fn set_handlers(&mut self, handlers: Handlers<P>) {
        self.body().handlers = Some(handlers);
    }

    #[inline]
    fn body(&mut self) -> &mut Body<P> {
        match self.slot.get_mut().live.get_mut() {
            Some(body) => body,
            None => unreachable!("holding a savepoint uses it up"),
        }
    }
}

impl<P: Program> fmt::Debug for Savepoint<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Savepoint")
            .field("site", &self.site)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
