//! A program under way in a world, in the hands of who owns it.

use std::fmt;

use super::address::{Address, Site};
use super::body::{Answer, Body, Counts, Live};
use super::drive::drive;
use super::end::{End, Status};
use super::error::{ForkError, NotPending};
use super::handlers::Handlers;
use super::held::Held;
use super::lease::Lease;
use super::program::Program;
use super::savepoint::Slot;
use super::trampoline;
use super::world::{Options, World};
use crate::limits::SITES_PER_TURN;

/// A program in its world, which one owner drives: no table, no claim, no lock.
///
/// It runs on the thread that drives it until a handler leaves a savepoint alone, and then waits
/// for [`resume`](Self::resume). A fork that is never resumed, only forked again, is an anchor: a
/// way back to a savepoint. A run that is dropped before its end is abandoned.
///
/// ```
/// # use std::convert::Infallible;
/// # use greenroom::world::{Handlers, Program, Run, Scope, Site, Step, World};
/// # const PICK: Site = Site::named("pick");
/// # #[derive(Clone)]
/// # struct Twice(Option<u32>);
/// # impl Program for Twice {
/// #     type Payload = u32;
/// #     type Value = u32;
/// #     type Output = u32;
/// #     type Error = Infallible;
/// #     fn step(&mut self, _: &mut Scope<'_>, value: Option<u32>) -> Step<Self> {
/// #         match (self.0, value) {
/// #             (None, None) => Step::savepoint(PICK, 0),
/// #             (None, Some(value)) => { self.0 = Some(value); Step::savepoint(PICK, 0) }
/// #             (Some(first), value) => Step::Done(first * value.unwrap_or(0)),
/// #         }
/// #     }
/// # }
/// // `Twice` picks two numbers, and multiplies them.
/// let handlers = Handlers::<Twice>::new().on(PICK, |_savepoint| ()); // left alone: to the owner
/// let mut run = Run::start(World::new(), Twice(None), &handlers);
/// run.resume(6)?;
/// let mut other = run.fork()?; // at the second pick
/// run.resume(7)?;
/// other.resume(100)?;
/// assert_eq!((run.output(), other.output()), (Some(&42), Some(&600)));
/// # Ok::<(), greenroom::Error>(())
/// ```
pub struct Run<P: Program> {
    live: Live<P>,
    status: Status,
}

impl<P: Program> Run<P> {
    pub(super) const fn new(live: Live<P>, status: Status) -> Self {
        Self { live, status }
    }

    /// Makes it one of a session's.
    pub(super) fn join(&mut self, lease: Lease<P>) {
        if let Some(body) = self.live.get_mut() {
            body.lease = Some(lease);
        }
    }

    pub(super) fn into_live(self) -> Live<P> {
        self.live
    }

    /// A run that has not begun.
    #[must_use]
    pub fn prepare(world: World, program: P, handlers: &Handlers<P>) -> Self {
        let body = Body::new(world, program, handlers.clone());
        Self::new(Live::new(Box::new(body)), Status::Ready)
    }

    /// Begins a run, and drives it to its first stop.
    #[must_use]
    pub fn start(world: World, program: P, handlers: &Handlers<P>) -> Self {
        let mut run = Self::prepare(world, program, handlers);
        run.advance(usize::MAX);
        run
    }

    /// Drives it to its next stop, or for so many steps of the program.
    pub fn advance(&mut self, steps: usize) -> Status {
        if self.status == Status::Ready {
            let live = self.live.take();
            let mut slot = Slot { live, held: None };
            self.status = trampoline::outermost(|| drive(&mut slot, steps));
            self.live = slot.live;
        }
        self.status
    }

    /// Drives it to its next stop, and lets other tasks run every
    /// [`SITES_PER_TURN`](crate::limits::SITES_PER_TURN) steps.
    ///
    /// Dropped before it is done, it leaves the run ready to go on.
    pub async fn complete(&mut self) -> Status {
        while self.advance(SITES_PER_TURN) == Status::Ready {
            crate::task::yield_now().await;
        }
        self.status
    }

    /// Answers the savepoint that it waits at, and drives it to its next stop.
    ///
    /// # Errors
    ///
    /// When it does not wait for its owner: the value is handed back.
    pub fn resume(&mut self, value: P::Value) -> Result<Status, NotPending<P::Value>> {
        self.answer(value)?;
        Ok(self.advance(usize::MAX))
    }

    /// Answers the savepoint that it waits at, and leaves the rest to who drives it next.
    ///
    /// # Errors
    ///
    /// When it does not wait for its owner: the value is handed back.
    pub fn answer(&mut self, value: P::Value) -> Result<(), NotPending<P::Value>> {
        match self.live.get_mut() {
            Some(body) if self.status == Status::Suspended => {
                body.point = None;
                body.answer = Answer::Resume(value);
                self.status = Status::Ready;
                Ok(())
            }
            _ => Err(NotPending::new(value)),
        }
    }

    /// The same savepoint, waiting in a new world.
    ///
    /// # Errors
    ///
    /// When it does not wait for its owner, or the session closes.
    pub fn fork(&mut self) -> Result<Self, ForkError> {
        self.fork_with(Options::new())
    }

    /// The same with a seed or a grant.
    ///
    /// # Errors
    ///
    /// When it does not wait for its owner, its world cannot pay the grant, or the session closes.
    pub fn fork_with(&mut self, options: Options) -> Result<Self, ForkError> {
        match self.live.get_mut() {
            Some(body) if self.status == Status::Suspended => {
                let fork = body.fork(None, options)?;
                Ok(Self::new(Live::new(fork), Status::Suspended))
            }
            _ => Err(ForkError::NotPending),
        }
    }

    /// Publishes the savepoint that it waits at, for whoever claims it first.
    ///
    /// # Errors
    ///
    /// When it does not wait for its owner: it is handed back.
    pub fn hold(mut self) -> Result<Held<P>, Self> {
        let point = self.live.get().and_then(|body| body.point.as_ref());
        let Some((site, address)) = point.map(|point| (point.site, point.address)) else {
            return Err(self);
        };
        let mut live = self.live.take();
        if let Some(body) = live.get_mut() {
            body.counts.held += 1;
        }
        Ok(Held::publish(live, site, address))
    }

    /// Gives it up: the same as dropping it.
    pub fn abandon(self) {}

    /// The handlers of its world from the next savepoint on.
    pub fn set_handlers(&mut self, handlers: &Handlers<P>) {
        if let Some(body) = self.live.get_mut() {
            body.handlers = Some(handlers.clone());
        }
    }

    /// What it is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Where it waits.
    #[must_use]
    pub fn point(&self) -> Option<(Site, Address)> {
        let point = self.live.get()?.point.as_ref()?;
        Some((point.site, point.address))
    }

    /// What is offered where it waits.
    #[must_use]
    pub fn payload(&self) -> Option<&P::Payload> {
        Some(&self.live.get()?.point.as_ref()?.payload)
    }

    /// Its world; none if it was abandoned or is held.
    #[must_use]
    pub fn world(&self) -> Option<&World> {
        self.live.get().map(|body| &body.world)
    }

    /// Its world, to be written; none if it was abandoned or is held.
    #[must_use]
    pub fn world_mut(&mut self) -> Option<&mut World> {
        self.live.get_mut().map(|body| &mut body.world)
    }

    /// What it has ended with; none if it was abandoned, has failed or has not ended.
    #[must_use]
    pub fn output(&self) -> Option<&P::Output> {
        match self.live.get()?.end.as_ref()? {
            End::Result(output) => Some(output),
            End::Error(_) | End::Abandoned => None,
        }
    }

    /// What became of its savepoints; none if it was abandoned or is held.
    #[must_use]
    pub fn counts(&self) -> Option<Counts> {
        self.live.get().map(|body| body.counts)
    }

    /// The world and how the run has ended in it.
    ///
    /// # Errors
    ///
    /// When it has not ended, was abandoned, or is held: it is handed back.
    pub fn into_end(mut self) -> Result<(World, End<P>), Self> {
        match (self.live.take().into_body(), self.status) {
            (Some(mut body), Status::Result | Status::Error) => match body.end.take() {
                Some(end) => Ok((body.world, end)),
                None => Err(self),
            },
            (body, _) => {
                self.live = body.map_or_else(Live::none, Live::new);
                Err(self)
            }
        }
    }
}

impl<P: Program> fmt::Debug for Run<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("status", &self.status)
            .field("world", &self.world())
            .finish_non_exhaustive()
    }
}
