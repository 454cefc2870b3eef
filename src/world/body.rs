//! A program in its world, with what drives it.

use std::sync::Arc;

use super::address::{Address, Frame, Site};
use super::end::End;
use super::error::ForkError;
use super::handlers::Handlers;
use super::lease::Lease;
use super::program::Program;
use super::seed::mix;
use super::world::{Options, World};
use crate::contain::contain;

/// A run's one allocation.
///
/// | where it is | `answer` | `point` | `end` |
/// | --- | --- | --- | --- |
/// | made, not begun | `Begin` | none | none |
/// | suspended, held, or with its handler | `None` | some | none |
/// | resumed | `Resume` | none | none |
/// | given up by its handler | `Abandon` | some | none |
/// | ended | `None` | none | some |
pub(super) struct Body<P: Program> {
    // What each savepoint needs comes first, and the world with the same at its head.
    /// Absent while it is held, when it lies in an [`Image`].
    pub(super) program: Option<P>,
    pub(super) point: Option<Point<P>>,
    pub(super) answer: Answer<P>,
    /// Absent while the run is driven, when the driver has them.
    pub(super) handlers: Option<Handlers<P>>,
    pub(super) lease: Option<Lease<P>>,
    /// How many steps there were.
    pub(super) sequence: u64,
    pub(super) counts: Counts,
    pub(super) frame: Frame,
    pub(super) world: World,
    pub(super) end: Option<End<P>>,
}

/// A savepoint, as a program has published it.
#[derive(Debug, Clone)]
pub(super) struct Point<P: Program> {
    pub(super) site: Site,
    pub(super) address: Address,
    pub(super) payload: P::Payload,
}

/// How a run is to go on.
pub(super) enum Answer<P: Program> {
    None,
    Begin,
    Resume(P::Value),
    Abandon,
}

/// What became of a run's savepoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Savepoints that went to a handler.
    pub published: u64,
    /// Those that were resumed or abandoned before their handler returned.
    pub inline: u64,
    /// Those that were left to who owns the run.
    pub suspended: u64,
    /// Those that were held.
    pub held: u64,
}

/// What of a held run is cloned by its forks: shared, so that no lock is held meanwhile.
pub(super) struct Image<P: Program> {
    pub(super) program: P,
    pub(super) point: Point<P>,
}

impl<P: Program> Body<P> {
    pub(super) fn new(world: World, program: P, handlers: Handlers<P>) -> Self {
        Self {
            world,
            program: Some(program),
            handlers: Some(handlers),
            frame: Frame::new(),
            point: None,
            answer: Answer::Begin,
            end: None,
            sequence: 0,
            counts: Counts::default(),
            lease: None,
        }
    }

    /// Notes where the program stands.
    #[inline]
    pub(super) fn publish(&mut self, site: Site, id: Option<u64>, payload: P::Payload) -> Address {
        self.counts.published += 1;
        let address = match id {
            None => self.frame.next(site),
            Some(id) => Address::explicit(site, id),
        };
        self.point = Some(Point {
            site,
            address,
            payload,
        });
        address
    }

    /// The same savepoint in a new world. `handlers` are the driver's, if there is one.
    pub(super) fn fork(
        &mut self,
        handlers: Option<&Handlers<P>>,
        options: Options,
    ) -> Result<Box<Self>, ForkError> {
        let (Some(point), Some(program)) = (&self.point, &self.program) else {
            return Err(ForkError::NotPending);
        };
        let (point, program) = (point.clone(), program.clone());
        let mut fork = self.fork_shell(point.address, handlers, options)?;
        fork.point = Some(point);
        fork.program = Some(program);
        Ok(fork)
    }

    /// A fork without program and savepoint: of a frozen world it runs no code of users.
    pub(super) fn fork_shell(
        &mut self,
        address: Address,
        handlers: Option<&Handlers<P>>,
        options: Options,
    ) -> Result<Box<Self>, ForkError> {
        // An address may come again: by an id, or by a key that is entered again.
        let place = mix(address.as_u64(), self.sequence);
        let lease = self.lease.as_ref().map(Lease::another).transpose()?;
        let world = self.world.fork_at(place, options)?;
        Ok(Box::new(Self {
            world,
            program: None,
            handlers: self.handlers.as_ref().or(handlers).cloned(),
            frame: self.frame.clone(),
            point: None,
            answer: Answer::None,
            end: None,
            sequence: self.sequence,
            counts: Counts::default(),
            lease,
        }))
    }

    /// Moves what forks clone to where they may share it, and freezes the world.
    pub(super) fn image(&mut self) -> Option<Arc<Image<P>>> {
        let (Some(program), Some(point)) = (self.program.take(), self.point.take()) else {
            return None;
        };
        self.world.freeze();
        Some(Arc::new(Image { program, point }))
    }

    /// Gives up: destructors of the program run first, then whoever waits for the end hears of it
    /// with the world. The world is dropped with the body.
    pub(super) fn abandon(&mut self) {
        let (point, answer) = (self.point.take(), self.answer.take());
        let program = self.program.take();
        contain(|| drop((program, point, answer)));
        self.finish(End::Abandoned);
    }

    /// Ends, and tells so: once.
    pub(super) fn finish(&mut self, end: End<P>) {
        if self.end.is_some() {
            return;
        }
        if let Some(lease) = &self.lease {
            lease.count(self.counts);
        }
        let end = self.end.insert(end);
        if let Some(handlers) = &self.handlers {
            handlers.tell_end(&mut self.world, end);
        }
    }
}

impl<P: Program> Answer<P> {
    #[inline]
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::None)
    }
}

/// A body that somebody owns: dropped before its end, it is abandoned.
pub(super) struct Live<P: Program>(Option<Box<Body<P>>>);

impl<P: Program> Live<P> {
    pub(super) const fn new(body: Box<Body<P>>) -> Self {
        Self(Some(body))
    }

    pub(super) const fn none() -> Self {
        Self(None)
    }

    #[inline]
    pub(super) fn get(&self) -> Option<&Body<P>> {
        self.0.as_deref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self) -> Option<&mut Body<P>> {
        self.0.as_deref_mut()
    }

    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    pub(super) fn into_body(mut self) -> Option<Box<Body<P>>> {
        self.0.take()
    }

    /// Gives it up, and the world with it.
    pub(super) fn abandon(&mut self) {
        if let Some(mut body) = self.0.take() {
            if body.end.is_none() {
                body.abandon();
            }
            contain(|| drop(body));
        }
    }
}

impl<P: Program> Drop for Live<P> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            self.abandon();
        }
    }
}
