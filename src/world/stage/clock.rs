//! A world's time, and what is to happen when: a part of its state.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use imbl::shared_ptr::ArcK;

use super::fork_actor::ForkActor;
use super::part::{Bond, Part};
use super::shared::Shared;
use super::within::Within;
use crate::actor::{Handler, Request};
use crate::contain::{catch, discard};
use crate::id::Id;
use crate::limits::WORLD_TIMERS_MAX;
use crate::world::entry::Entry;
use crate::world::world::World;

/// Where it lies in the world.
pub(super) const CLOCK: Entry<Clock> = Entry::named("clock of actors");

/// When a timer rings.
#[derive(Clone, Copy)]
pub(super) enum Due {
    After(Duration),
    At(Duration),
}

/// Which timer of a world: the same in its forks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerKey {
    // In this order: so do timers ring.
    due: Duration,
    number: u64,
}

/// A message that an actor gets later.
pub(super) type TimerOf = Arc<dyn Timer>;

/// The time, and the timers in the order in which they ring.
#[derive(Clone, Default)]
pub(super) struct Clock {
    now: Duration,
    next: u64,
    timers: imbl::GenericOrdMap<TimerKey, TimerOf, ArcK>,
    has_changed: bool,
}

impl Clock {
    /// That of a world.
    pub(super) fn of(world: &World) -> Self {
        world.get(CLOCK).cloned().unwrap_or_default()
    }

    pub(super) fn now(&self) -> Duration {
        self.now
    }

    /// Sets a timer, and says where; `None` if there are too many.
    pub(super) fn set(&mut self, due: Due, timer: impl FnOnce() -> TimerOf) -> Option<TimerKey> {
        if self.timers.len() >= WORLD_TIMERS_MAX {
            return None;
        }
        let due = match due {
            Due::After(delay) => self.now.saturating_add(delay),
            Due::At(at) => at.max(self.now),
        };
        let key = TimerKey {
            due,
            number: self.next,
        };
        self.next += 1;
        self.timers.insert(key, timer());
        self.has_changed = true;
        Some(key)
    }

    pub(super) fn cancel(&mut self, key: TimerKey) -> Option<TimerOf> {
        let timer = self.timers.remove(&key)?;
        self.has_changed = true;
        Some(timer)
    }

    pub(super) fn next_due(&mut self, until: Duration) -> Option<TimerOf> {
        self.has_changed |= self.now != until;
        let due = self.timers.get_min().filter(|(key, _)| key.due <= until);
        let Some(key) = due.map(|(key, _)| *key) else {
            self.now = self.now.max(until);
            return None;
        };
        self.has_changed = true;
        self.now = key.due;
        self.timers.remove(&key)
    }

    /// The clock, if it has changed since it was last taken.
    pub(super) fn take_changed(&mut self) -> Option<Self> {
        std::mem::take(&mut self.has_changed).then(|| self.clone())
    }
}

/// What rings, in whichever world it does.
pub(super) trait Timer: Send + Sync {
    fn ring<'a>(&'a self, stage: &'a Arc<Shared>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

/// One for an `A`.
pub(super) struct Bell<A, M> {
    part: Id,
    message: M,
    _actor: std::marker::PhantomData<fn() -> A>,
}

impl<A, M> Bell<A, M> {
    pub(super) fn new(part: Id, message: M) -> Self {
        let _actor = std::marker::PhantomData;
        Self {
            part,
            message,
            _actor,
        }
    }
}

impl<A, M> Timer for Bell<A, M>
where
    A: ForkActor + Handler<M>,
    M: Clone + Send + Sync + 'static,
{
    fn ring<'a>(&'a self, stage: &'a Arc<Shared>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let message = match catch(|| self.message.clone()) {
                Ok(message) => message,
                Err(payload) => return discard(payload),
            };
            // The gate is closed; who has closed it rings.
            let part = Part::<A>::named(self.part, stage, Bond::Inside);
            let told = Request::<A, M, Within>::new(&part, message).tell();
            // Of an actor that has ended nothing rings any more.
            drop(told.await);
        })
    }
}
