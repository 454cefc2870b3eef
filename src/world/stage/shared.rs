//! What a stage, its actors and those who send to them share.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::Handle as Runtime;

use super::busy::Busy;
use super::carried::Flight;
use super::cell::{AnyCell, CellOf, Role, role_of, shared, state_of};
use super::clock::{Clock, Due, TimerKey, TimerOf};
use super::fork_actor::{ForkActor, Grade};
use super::members::{Admission, Line, Members};
use super::place::Seat;
use crate::actor::{Builder, ExitReason, Factory, Handle, Refusal, SpawnErrorKind, StartError};
use crate::contain::{catch, contain, discard, text_of};
use crate::id::Id;
use crate::sync::Mutex;
use crate::world::snapshot::Snapshot;
use crate::world::world::World;

/// A world and its actors.
///
/// | gate | who sends from outside | who sends from inside | the world |
/// | --- | --- | --- | --- |
/// | open | is let in | is let in | lies here |
/// | closed | waits | is let in | is with who has closed it |
/// | ended | is refused | is refused | is gone, or empty |
pub(super) struct Shared {
    pub(super) id: Id,
    pub(super) seed: u64,
    runtime: Option<Runtime>,
    inner: Mutex<Inner>,
}

struct Inner {
    gate: Gate,
    /// Who waits for the gate to open.
    outside: Line,
    /// Who has closed it, and waits until nothing is in flight.
    settling: Option<Waker>,
    world: Option<World>,
    /// What was last saved: what actors are made of.
    saved: Option<Snapshot>,
    members: Members,
    clock: Clock,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Closed,
    Ended,
}

impl Shared {
    pub(super) fn new(mut world: World) -> Arc<Self> {
        let saved = world.snapshot();
        Arc::new(Self {
            id: world.lineage().id,
            seed: world.seed(),
            runtime: Runtime::try_current().ok(),
            inner: Mutex::new(Inner {
                gate: Gate::Open,
                outside: Line::default(),
                settling: None,
                clock: Clock::of(&world),
                world: Some(world),
                saved: Some(saved),
                members: Members::default(),
            }),
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
        let (handle, saved) = {
            let mut inner = self.inner.lock();
            match inner.gate {
                Gate::Ended => return Admission::Refused(Refusal::NotHere),
                Gate::Closed if !is_inside => {
                    if let Some(waker) = waker {
                        inner.outside.wait(waker);
                    }
                    return Admission::Wait;
                }
                Gate::Open | Gate::Closed => {}
            }
            inner.members.take_off();
            match inner.members.find::<A>(part, reads) {
                Some(handle) => (Some(handle), None),
                None => (None, inner.saved.clone()),
            }
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
        let (handle, surplus) = {
            let mut inner = self.inner.lock();
            match inner.members.find::<A>(part, reads) {
                // Another has made it meanwhile.
                Some(other) => (other, Some(cell as Arc<dyn AnyCell>)),
                None if inner.gate == Gate::Ended => return self.too_late(&*cell),
                None => {
                    let before = inner.members.resumed(part, cell, identity);
                    inner.members.find::<A>(part, reads);
                    (handle, before)
                }
            }
        };
        if let Some(surplus) = surplus {
            surplus.kill();
        }
        Ok(handle)
    }

    fn too_late<A>(&self, cell: &dyn AnyCell) -> Result<Handle<A>, Refusal> {
        cell.kill();
        Err(Refusal::NotHere)
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
        let has_ended = {
            let mut inner = self.inner.lock();
            let has_ended = inner.gate == Gate::Ended;
            if !has_ended {
                inner.members.spawned(part, cell.clone(), identity);
            }
            has_ended
        };
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
                .and_then(|stage| stage.inner.lock().saved.clone());
            let state = saved
                .as_ref()
                .and_then(|saved| saved.get(state_of::<A>(part)));
            let state = state.or(first.as_ref()).cloned();
            std::future::ready(state.ok_or_else(|| "its world has ended".into()))
        })
    }

    /// Something that was in flight is so no more.
    pub(super) fn land(&self, part: Id) {
        let settled = {
            let mut inner = self.inner.lock();
            let is_quiet = inner.members.land(part);
            inner.settling.take_if(|_| is_quiet)
        };
        wake(settled);
    }

    /// Ends the world: nobody is let in any more.
    pub(super) fn end(&self) {
        let (cells, outside, gone) = {
            let mut inner = self.inner.lock();
            inner.gate = Gate::Ended;
            let clock = std::mem::take(&mut inner.clock);
            let gone = (inner.world.take(), inner.saved.take(), clock);
            (inner.members.end(), inner.outside.take(), gone)
        };
        for cell in cells {
            cell.kill();
        }
        wake(outside);
        // Code of users: at the end.
        contain(|| drop(gone));
    }

    pub(super) fn running(&self) -> usize {
        self.inner.lock().members.len()
    }

    pub(super) fn busy(&self) -> Busy {
        let (actors, first) = self.inner.lock().members.busy();
        Busy { actors, first }
    }
}

/// What whoever has closed the gate does.
impl Shared {
    /// Closes the gate, and takes the world out.
    pub(super) fn poll_close(&self, cx: &mut Context<'_>) -> Poll<World> {
        let mut inner = self.inner.lock();
        match inner.close() {
            Some(world) => Poll::Ready(world),
            None => {
                inner.outside.wait(cx.waker());
                Poll::Pending
            }
        }
    }

    /// Closes the gate, if nothing is in flight and nobody else has closed it.
    pub(super) fn try_close(&self) -> Result<World, Busy> {
        let mut inner = self.inner.lock();
        let closed = match inner.members.is_quiet() {
            true => inner.close(),
            false => None,
        };
        closed.ok_or_else(|| {
            let (actors, first) = inner.members.busy();
            Busy { actors, first }
        })
    }

    /// Waits until nothing is in flight.
    pub(super) fn poll_settled(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut inner = self.inner.lock();
        if inner.members.is_quiet() {
            return Poll::Ready(());
        }
        inner.settling = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.inner.lock().members.is_quiet()
    }

    pub(super) fn next_dirty(&self) -> Option<(Id, Arc<dyn AnyCell>)> {
        self.inner.lock().members.next_dirty()
    }

    pub(super) fn saved(&self, part: Id) {
        self.inner.lock().members.saved(part);
    }

    pub(super) fn mark(&self, part: Id) {
        self.inner.lock().members.mark(part);
    }

    /// Opens the gate. The world may have a state that nobody has saved: then that takes the place
    /// of what actors had.
    pub(super) fn open(&self, mut world: World, is_replaced: bool) {
        let (gone, outside) = {
            let inner = &mut *self.inner.lock();
            let has_ended = inner.gate == Gate::Ended;
            let known = inner.saved.as_ref().map(Snapshot::revision);
            let mut gone = None;
            if !has_ended && known != Some(world.revision()) {
                gone = inner.saved.replace(world.snapshot());
            }
            let mut clock = None;
            if is_replaced {
                inner.members.replace_state();
                clock = Some(std::mem::replace(&mut inner.clock, Clock::of(&world)));
            }
            if !has_ended {
                inner.gate = Gate::Open;
            }
            inner.world = Some(world);
            ((gone, clock), inner.outside.take())
        };
        wake(outside);
        contain(|| drop(gone));
    }

    /// The clock, if it is other than the world knows.
    pub(super) fn take_changed_clock(&self) -> Option<Clock> {
        self.inner.lock().clock.take_changed()
    }
}

/// The world's time.
impl Shared {
    pub(super) fn now(&self) -> Duration {
        self.inner.lock().clock.now()
    }

    /// Sets a timer; `None` if there are too many. No code of users runs in `timer`.
    pub(super) fn set_timer(&self, due: Due, timer: impl FnOnce() -> TimerOf) -> Option<TimerKey> {
        self.inner.lock().clock.set(due, timer)
    }

    pub(super) fn cancel_timer(&self, key: TimerKey) -> bool {
        let timer = self.inner.lock().clock.cancel(key);
        let was_set = timer.is_some();
        contain(|| drop(timer));
        was_set
    }

    /// Moves the clock to the next timer that is due, which is set no more, or so far.
    pub(super) fn next_due(&self, until: Duration) -> Option<TimerOf> {
        self.inner.lock().clock.next_due(until)
    }
}

impl Inner {
    /// The world, if the gate was open.
    fn close(&mut self) -> Option<World> {
        match self.gate {
            Gate::Open => self.gate = Gate::Closed,
            Gate::Closed => return None,
            // There is nothing any more: neither to be kept out, nor to be forked.
            Gate::Ended => return Some(self.world.take().unwrap_or_default()),
        }
        self.world.take()
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

/// Wakers are code of users.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    for waker in wakers {
        contain(|| waker.wake());
    }
}
