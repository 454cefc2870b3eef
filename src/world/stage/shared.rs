//! What a stage, its actors and those who send to them share.

use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::Handle as Runtime;

use super::busy::Busy;
use super::carried::Flight;
use super::cell::{AnyCell, CellOf, Role, role_of, shared, state_of};
use super::clock::{Clock, Due, TimerKey, TimerOf};
use super::fork_actor::{ForkActor, Grade};
use super::members::{Admission, Members};
use super::place::Seat;
use crate::actor::{Builder, ExitReason, Factory, Handle, Refusal, SpawnErrorKind, StartError};
use crate::contain::{catch, contain, discard, text_of};
use crate::id::Id;
use crate::world::gate::{Entry, Gate};
use crate::world::snapshot::Snapshot;
use crate::world::world::World;

/// A world and its actors.
pub(super) struct Shared {
    pub(super) id: Id,
    pub(super) seed: u64,
    runtime: Option<Runtime>,
    gate: Gate<World, Inner>,
}

struct Inner {
    /// What was last saved: what actors are made of.
    saved: Option<Snapshot>,
    members: Members,
    clock: Clock,
}

impl Shared {
    pub(super) fn new(mut world: World) -> Arc<Self> {
        let inner = Inner {
            saved: Some(world.snapshot()),
            members: Members::default(),
            clock: Clock::of(&world),
        };
        Arc::new(Self {
            id: world.lineage().id,
            seed: world.seed(),
            runtime: Runtime::try_current().ok(),
            gate: Gate::new(world, inner),
        })
    }

    /// Lets who sends to an actor in, and says whom it reaches. Without a waker it does not wait.
    pub(super) fn admit<A: ForkActor>(
        self: &Arc<Self>,
        part: Id,
        reads: bool,
        is_inside: bool,
        waker: Option<&Waker>,
    ) -> Admission<A> {
        let entered = self.gate.enter(is_inside, waker, |inner| {
            match inner.members.find::<A>(part, reads) {
                Some(handle) => (Some(handle), None),
                None => (None, inner.saved.clone()),
            }
        });
        let (handle, saved) = match entered {
            Entry::Wait => return Admission::Wait,
            Entry::Refused => return Admission::Refused(Refusal::NotHere),
            Entry::In(found) => found,
        };
        // From here on it is in flight, so that the world's state stays.
        let flight = Flight::new(Arc::clone(self), part);
        let handle = match (handle, saved) {
            (Some(handle), _) => Ok(handle),
            (None, Some(saved)) => self.resume(part, reads, &saved),
            (None, None) => Err(Refusal::NotHere),
        };
        match handle {
            Ok(handle) => Admission::Open(handle, flight),
            Err(refusal) => Admission::Refused(refusal),
        }
    }

    /// Makes an actor of what was saved.
    fn resume<A: ForkActor>(
        self: &Arc<Self>,
        part: Id,
        reads: bool,
        saved: &Snapshot,
    ) -> Result<Handle<A>, Refusal> {
        let ended = || Refusal::Ended(ExitReason::Killed);
        match saved.get(role_of(part)) {
            Some(Role::Shared(handle)) => return shared(handle).ok_or_else(ended),
            Some(Role::Refuses) => return Err(Refusal::NotHere),
            Some(Role::Ended(reason)) => return Err(Refusal::Ended(reason.clone())),
            None => {}
        }
        let state = saved.get(state_of::<A>(part)).ok_or(Refusal::NotHere)?;
        let state = cloned(state)?;
        let handle = self.begin(part, state, true).map_err(refusal)?;
        let cell = Arc::new(CellOf(handle.clone()));
        let identity = handle.identity();
        let (handle, surplus) = self.gate.with(|inner, has_ended| {
            match inner.members.find::<A>(part, reads) {
                // Another has made it meanwhile.
                Some(other) => (Ok(other), Some(cell as Arc<dyn AnyCell>)),
                None if has_ended => (Err(Refusal::NotHere), Some(cell as Arc<dyn AnyCell>)),
                None => {
                    let before = inner.members.resumed(part, cell, identity);
                    inner.members.find::<A>(part, reads);
                    (Ok(handle), before)
                }
            }
        });
        if let Some(surplus) = surplus {
            surplus.kill();
        }
        handle
    }

    /// Spawns an actor that has not been here.
    #[track_caller]
    pub(super) fn spawn<A: ForkActor>(self: &Arc<Self>, part: Id, actor: A) {
        let handle = match self.begin(part, actor, false) {
            Ok(handle) => handle,
            Err(kind) => panic!("{} was not spawned: {kind}", A::OPTIONS.name()),
        };
        let identity = handle.identity();
        let cell = Arc::new(CellOf(handle));
        let has_ended = self.gate.with(|inner, has_ended| {
            if !has_ended {
                inner.members.spawned(part, cell.clone(), identity);
            }
            has_ended
        });
        if has_ended {
            cell.kill();
        }
    }

    #[track_caller]
    fn begin<A: ForkActor>(
        self: &Arc<Self>,
        part: Id,
        actor: A,
        goes_on: bool,
    ) -> Result<Handle<A>, SpawnErrorKind> {
        let _entered = self.runtime.as_ref().map(Runtime::enter);
        let first = (A::PANICS && !goes_on).then(|| actor.clone());
        let mut builder = Builder::new(actor).within(Seat::place(part, self), goes_on);
        // Only the panic hook can ask for another state.
        if A::PANICS && A::GRADE == Grade::Forked {
            builder = builder.rebuilt_by(self.last_saved(part, first));
        }
        let handle = builder.try_spawn().map_err(|error| error.kind())?;
        Ok((*handle).clone())
    }

    /// Makes an actor of its last savepoint.
    fn last_saved<A: ForkActor>(self: &Arc<Self>, part: Id, first: Option<A>) -> Factory<A> {
        let stage = Arc::downgrade(self);
        Factory::new(move || {
            let saved = stage
                .upgrade()
                .and_then(|stage| stage.gate.with(|inner, _| inner.saved.clone()));
            let state = saved
                .as_ref()
                .and_then(|saved| saved.get(state_of::<A>(part)));
            let state = state.or(first.as_ref()).cloned();
            std::future::ready(state.ok_or_else(|| "its world has ended".into()))
        })
    }

    /// Something that was in flight is so no more.
    pub(super) fn land(&self, part: Id) {
        self.gate.land(|inner| inner.members.land(part));
    }

    /// Ends the world: nobody is let in any more.
    pub(super) fn end(&self) {
        let (world, (cells, beside)) = self.gate.end(|inner| {
            let beside = (inner.saved.take(), mem::take(&mut inner.clock));
            (inner.members.end(), beside)
        });
        for cell in cells {
            cell.kill();
        }
        // Code of users: at the end.
        contain(|| drop((world, beside)));
    }

    pub(super) fn running(&self) -> usize {
        self.gate.with(|inner, _| inner.members.len())
    }

    pub(super) fn busy(&self) -> Busy {
        self.gate.with(|inner, _| inner.busy())
    }
}

/// What whoever has closed the gate does.
impl Shared {
    /// Closes the gate, and takes the world out.
    pub(super) fn poll_close(&self, cx: &mut Context<'_>) -> Poll<World> {
        self.gate.poll_close(cx).map(Option::unwrap_or_default)
    }

    /// Closes the gate, if nothing is in flight and nobody else has closed it.
    pub(super) fn try_close(&self) -> Result<World, Busy> {
        let closed = self.gate.try_close(Inner::busy);
        closed.map(Option::unwrap_or_default)
    }

    /// Waits until nothing is in flight.
    pub(super) fn poll_settled(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.gate.poll_settled(cx)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.gate.is_settled()
    }

    pub(super) fn next_dirty(&self) -> Option<(Id, Arc<dyn AnyCell>)> {
        self.gate.with(|inner, _| inner.members.next_dirty())
    }

    pub(super) fn saved(&self, part: Id) {
        self.gate.with(|inner, _| inner.members.saved(part));
    }

    pub(super) fn mark(&self, part: Id) {
        self.gate.with(|inner, _| inner.members.mark(part));
    }

    /// Opens the gate. The world may have a state that nobody has saved: then that takes the place
    /// of what actors had.
    pub(super) fn open(&self, mut world: World, is_replaced: bool) {
        let revision = world.revision();
        let (mut saved, mut clock) = (Some(world.snapshot()), Clock::of(&world));
        // What takes a place changes places with what was there, and goes after the lock.
        self.gate.open(world, |inner, has_ended| {
            if !has_ended && inner.saved.as_ref().map(Snapshot::revision) != Some(revision) {
                mem::swap(&mut inner.saved, &mut saved);
            }
            if is_replaced {
                inner.members.replace_state();
                mem::swap(&mut inner.clock, &mut clock);
            }
        });
        contain(|| drop((saved, clock)));
    }

    /// The clock, if it is other than the world knows.
    pub(super) fn take_changed_clock(&self) -> Option<Clock> {
        self.gate.with(|inner, _| inner.clock.take_changed())
    }
}

/// The world's time.
impl Shared {
    pub(super) fn now(&self) -> Duration {
        self.gate.with(|inner, _| inner.clock.now())
    }

    /// Sets a timer; `None` if there are too many. No code of users runs in `timer`.
    pub(super) fn set_timer(&self, due: Due, timer: impl FnOnce() -> TimerOf) -> Option<TimerKey> {
        self.gate.with(|inner, _| inner.clock.set(due, timer))
    }

    pub(super) fn cancel_timer(&self, key: TimerKey) -> bool {
        let timer = self.gate.with(|inner, _| inner.clock.cancel(key));
        let was_set = timer.is_some();
        contain(|| drop(timer));
        was_set
    }

    /// Moves the clock to the next timer that is due, which is set no more, or so far.
    pub(super) fn next_due(&self, until: Duration) -> Option<TimerOf> {
        self.gate.with(|inner, _| inner.clock.next_due(until))
    }
}

impl Inner {
    fn busy(&self) -> Busy {
        let (actors, first) = self.members.busy();
        Busy { actors, first }
    }
}

/// A clone for an actor to begin with.
fn cloned<A: Clone>(state: &A) -> Result<A, Refusal> {
    catch(|| state.clone()).map_err(|payload| {
        let text = format!("its state panicked as it was cloned: {}", text_of(&payload));
        discard(payload);
        Refusal::Ended(ExitReason::StartFailed(StartError::new(text.into())))
    })
}

fn refusal(kind: SpawnErrorKind) -> Refusal {
    Refusal::Ended(match kind {
        SpawnErrorKind::RuntimeGone | SpawnErrorKind::NoRuntime => ExitReason::RuntimeGone,
        kind => ExitReason::StartFailed(StartError::new(kind.to_string().into())),
    })
}
