//! What the holder of an actor's run right keeps and does.

mod crowd;
mod states;
mod task;

use std::ptr::NonNull;
#[cfg(feature = "test-util")]
use std::sync::Arc;
use std::task::Waker;

pub(super) use crowd::Held;
use task::Task;
use tokio::time::Instant;

use super::cell::{Head, lend};
use super::context::Context;
use super::envelope::{Entry, WayBack};
use super::exit::{During, ExitReason, StartError};
use super::origin::Origin;
#[cfg(feature = "test-util")]
use super::stub::Outlet;
use super::traits::Actor;
use super::waits;
use crate::contain::contain;
use crate::error::BoxError;
use crate::mailbox::Queue;
use crate::reply::{Watch, WatchKey};
use crate::task::{Unit, current};
use crate::trace::{self, MaybeSpan};

/// How far a handler or hook got.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is done.
    Done,
    /// It is at an await; its future is the cell's task.
    Suspended,
    /// It is at an await, beside others; its future has a seat.
    Beside,
}

/// Where an actor is in its life.
///
/// | stage | state | task | messages |
/// | --- | --- | --- | --- |
/// | `Vacant` | no | none | wait |
/// | `Building` | no | the factory, if it is suspended | wait |
/// | `New` | yes | none | wait |
/// | `Starting` | yes | the start hook, if it is suspended | wait |
/// | `Live` | yes | a handler, if one is suspended | are handled |
/// | `Paused`, `Halting` | yes | as before | wait, once the task is done |
/// | `Stopping` | yes | the stop hook, if it is suspended | wait, or there are none |
/// | `Over` | yes | none | |
/// | `Waiting` | no | none | wait |
/// | `Fallen` | no | none | |
/// | `Stub` | no | none | are answered by hand |
///
/// An incarnation goes from `Building` or `New` to `Over` or `Fallen`, in this order but for
/// `Paused`. Then it is judged: the actor ends, or goes on, to `Live`, `Vacant` or `Waiting`.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// The next incarnation is to be built.
    Vacant,
    /// It is being built.
    Building,
    /// The start hook has not begun.
    New,
    /// The start hook runs.
    Starting,
    /// Messages are handled.
    Live,
    /// No message begins to be handled, until it is told to go on.
    Paused,
    /// As `Paused`, and the stop hook comes next.
    Halting,
    /// The stop hook runs.
    Stopping(ExitReason),
    /// Nothing is left to run.
    Over(ExitReason),
    /// The last incarnation ended of this; what comes next is not known yet.
    Waiting(ExitReason),
    /// As `Over`, without a state.
    Fallen(ExitReason),
    /// There never is a state.
    #[cfg(feature = "test-util")]
    Stub(Arc<Outlet>),
}

impl Stage {
    /// C4
    pub(super) fn has_state(&self) -> bool {
        match self {
            Self::New | Self::Starting | Self::Live | Self::Paused | Self::Halting => true,
            Self::Stopping(_) | Self::Over(_) => true,
            Self::Vacant | Self::Building | Self::Waiting(_) | Self::Fallen(_) => false,
            #[cfg(feature = "test-util")]
            Self::Stub(_) => false,
        }
    }
}

/// A message that is being handled.
struct Current {
    entry: &'static Entry,
    way: WayBack,
}

/// What the run-right holder keeps (C1).
pub(crate) struct Run {
    /// Messages taken out of the mailbox, whose slots are still held.
    pub(super) batch: Queue,
    pub(super) stage: Stage,
    current: Option<Current>,
    task: Option<Task>,
    /// The actor's life.
    pub(super) life: MaybeSpan,
    /// The message being handled.
    pub(super) message: MaybeSpan,
}

impl Run {
    pub(super) fn new(stage: Stage, life: MaybeSpan) -> Self {
        Self {
            batch: Queue::new(),
            stage,
            current: None,
            task: None,
            life,
            message: MaybeSpan::default(),
        }
    }
}

/// The witness that its holder has an actor's run right, and a count of the cell.
#[derive(Clone, Copy)]
pub(crate) struct Running(NonNull<Head>);

impl Running {
    /// # Safety
    ///
    /// - The caller holds the run right and a count of the cell for as long as it, or a copy of
    ///   it, is used.
    #[inline]
    pub(super) unsafe fn new(head: NonNull<Head>) -> Self {
        Self(head)
    }

    #[inline]
    pub(super) fn head(&self) -> &Head {
        // SAFETY: the holder has a count.
        unsafe { self.0.as_ref() }
    }

    /// Reaches what the run-right holder keeps. `f` runs no user code and does not call this.
    #[inline]
    pub(super) fn with<R>(self, f: impl FnOnce(&mut Run) -> R) -> R {
        // SAFETY: C1; the borrow ends with `f`, which is not re-entered.
        f(unsafe { &mut *self.head().run.get() })
    }

    /// A part of the cell beyond its head.
    #[inline]
    fn part(self, offset: usize) -> NonNull<u8> {
        // SAFETY: C2: the pointer covers the whole cell, and offsets come from its kind.
        unsafe { self.0.cast::<u8>().add(offset) }
    }

    /// Borrows state and context for a handler or hook. Here, and only here, lifetimes are
    /// erased: what is made of the borrows is the cell's task, which is gone before either is
    /// reached again (C1) and before the cell is (C3).
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, its state is there (C4), and there is no task.
    #[inline]
    pub(super) unsafe fn borrow<A: Actor>(self) -> (&'static mut A, &'static mut Context<A>) {
        let state = self.part(self.head().kind.state).cast::<A>();
        let context = self.head().context.get().cast::<Context<A>>();
        // SAFETY: C1 and the caller; `Context<A>` is a transparent `ContextCell`.
        unsafe { (&mut *state.as_ptr(), &mut *context) }
    }

    /// As [`Running::borrow`], for a handler that runs beside others.
    ///
    /// Any number of such borrows live side by side: each is shared, and C6 keeps `borrow` away
    /// while there is one.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, its state is there (C4), and there is no task, or a crowd.
    #[inline]
    pub(super) unsafe fn share<A: Actor>(self) -> (&'static A, &'static Context<A>) {
        let state = self.part(self.head().kind.state).cast::<A>();
        let context = self.head().context.get().cast::<Context<A>>();
        // SAFETY: C1, C6 and the caller; `Context<A>` is a transparent `ContextCell`.
        unsafe { (&*state.as_ptr(), &*context) }
    }

    /// Whether the actor waits for its next message, with its life begun.
    #[inline]
    pub(super) fn is_ready(self) -> bool {
        let kind = self.head().kind;
        self.with(|run| {
            debug_assert!(run.task.is_some() || run.batch.is_empty());
            match run.stage {
                Stage::Live => run.task.is_none(),
                Stage::New if kind.start.is_none() => {
                    run.stage = Stage::Live;
                    true
                }
                _ => false,
            }
        })
    }

    /// A message begins to be handled.
    #[inline]
    pub(super) fn begin(self, entry: &'static Entry, way: WayBack) {
        self.with(|run| run.current = Some(Current { entry, way }));
    }

    /// The message being handled is done; gives its way back.
    #[inline]
    pub(super) fn end(self) -> WayBack {
        waits::end(self);
        self.with(|run| run.current.take())
            .map_or(WayBack::None, |current| current.way)
    }

    /// The message being handled is answered, and not done; gives its way back.
    pub(super) fn take_way(self) -> WayBack {
        self.with(|run| match &mut run.current {
            Some(current) => std::mem::replace(&mut current.way, WayBack::None),
            None => WayBack::None,
        })
    }

    /// The message being handled goes on after this activation: its reply goes another way.
    pub(super) fn redirect(self, way: WayBack) {
        self.with(|run| {
            if let Some(current) = &mut run.current {
                current.way = way;
            }
        });
    }

    /// What an answer that comes later says of the actor.
    pub(super) fn origin(self, message: fn() -> &'static str) -> Origin {
        // SAFETY: the holder of `running` has a count.
        let unit = unsafe { lend(self.0) };
        Origin::new((*unit).clone(), message)
    }

    /// The actor whose handler or hook this thread polls.
    pub(super) fn of_thread() -> Option<Self> {
        let unit = current()?;
        // SAFETY: N1: the caller is code of the user's, or called by such.
        let is_actor = unsafe { unit.as_ref() }.is_actor();
        // The thread runs the unit: it has the run right, and a count, until it goes on.
        is_actor.then(|| Self(unit.cast()))
    }

    /// The deadline of the message being handled.
    pub(super) fn deadline(self) -> Option<Instant> {
        self.with(|run| match &run.current {
            Some(Current {
                way: WayBack::Slot(end),
                ..
            }) => end.deadline(),
            _ => None,
        })
    }

    /// Has `waker` woken when who asked for what is being handled has gone.
    pub(super) fn watch_asker(self, key: &mut WatchKey, waker: Waker) -> Watch {
        self.with(
            |run| match run.current.as_mut().map(|current| &mut current.way) {
                Some(WayBack::Slot(end)) => end.watch(key, waker),
                // Who polls the handler has not gone. When it suspends, its reply goes another way:
                // then it looks again.
                Some(WayBack::Here(_)) => Watch::again(waker),
                Some(WayBack::None) | None => Watch::never(waker),
            },
        )
    }

    /// Forgets what [`Running::watch_asker`] was given under this key.
    pub(super) fn unwatch_asker(self, key: &WatchKey) -> Watch {
        self.with(
            |run| match run.current.as_mut().map(|current| &mut current.way) {
                Some(WayBack::Slot(end)) => end.unwatch(key),
                _ => Watch::default(),
            },
        )
    }

    /// Tells the askers of the messages being handled that they were cut short.
    pub(super) fn interrupt(self, reason: &ExitReason) {
        let mut next = self.with(|run| run.current.take());
        while let Some(Current { entry, way }) = next.take().or_else(|| self.next_seated()) {
            // SAFETY: the two began together.
            contain(|| unsafe { entry.interrupt(way, reason.clone(), self.head()) });
        }
    }

    pub(super) fn note_unread_error<M>(self) {
        contain(|| trace::unread_error(&self.head().identity(), std::any::type_name::<M>()));
    }

    /// The message being handled, by its type; `None` in a hook.
    pub(super) fn handles(self) -> Option<fn() -> &'static str> {
        self.with(|run| run.current.as_ref().map(|current| current.entry.message))
    }

    /// What the actor is doing.
    pub(super) fn during(self) -> During {
        self.with(|run| match (&run.stage, &run.current) {
            (Stage::Live | Stage::Paused | Stage::Halting, Some(current)) => {
                During::Message((current.entry.message)())
            }
            (Stage::Stopping(_) | Stage::Over(_), _) => During::Stop,
            _ => During::Start,
        })
    }

    /// Takes the context's count, when no handler or hook will run any more.
    pub(super) fn take_context(self) -> Option<Unit> {
        // SAFETY: C1; the task that borrowed it has gone.
        unsafe { (*self.head().context.get()).take() }
    }

    /// Begins the start hook.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, and there is no task.
    pub(super) unsafe fn start<A: Actor>(self) -> Step {
        // SAFETY: the caller; C4: the state is there before the end.
        unsafe {
            let (actor, ctx) = self.borrow::<A>();
            self.place(actor.on_start(ctx), started)
        }
    }

    /// Begins the stop hook.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, and there is no task.
    pub(super) unsafe fn stop<A: Actor>(self, reason: ExitReason) -> Step {
        // SAFETY: the caller; C4: the state is there before the end.
        unsafe {
            let (actor, ctx) = self.borrow::<A>();
            self.place(actor.on_stop(ctx, reason), stopped)
        }
    }
}

fn started(running: Running, outcome: Result<(), BoxError>) {
    waits::end(running);
    match outcome {
        Ok(()) => running.go_live(),
        Err(error) => {
            let reason = ExitReason::StartFailed(StartError::new(error));
            running.with(|run| run.stage = Stage::Over(reason));
        }
    }
}

impl Running {
    /// Has the actor end with another reason than its stop hook was given, which is running.
    pub(super) fn end_as(self, reason: ExitReason) {
        self.with(|run| {
            if let Stage::Stopping(old) = &mut run.stage {
                *old = reason;
            }
        });
    }
}

fn stopped(running: Running, (): ()) {
    waits::end(running);
    running.with(|run| {
        if let Stage::Stopping(reason) = &run.stage {
            run.stage = Stage::Over(reason.clone());
        }
    });
}
