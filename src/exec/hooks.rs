//! Code of the user's that runs when threads, tasks and actors come and go.
//!
//! It runs outside of our locks, and a panic in it is reported and goes no further.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use crate::contain::{catch, contain, discard, text_of};
use crate::id::Id;
use crate::task::{Observer, Unit};
use crate::trace;

/// What runs on the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskKind {
    /// A spawned future.
    Task,
    /// An actor, which is one from its spawn to its end, however many messages it handles.
    Actor,
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Task => "task",
            Self::Actor => "actor",
        })
    }
}

/// What a hook learns about a task or an actor.
#[derive(Debug, Clone, Copy)]
pub struct TaskMeta<'a> {
    id: Id,
    kind: TaskKind,
    name: Option<&'a str>,
    spawned_at: &'static Location<'static>,
}

impl<'a> TaskMeta<'a> {
    pub(super) fn of(unit: &'a Unit) -> Self {
        let header = unit.header();
        Self {
            id: header.id(),
            kind: if header.is_actor() {
                TaskKind::Actor
            } else {
                TaskKind::Task
            },
            name: unit.name(),
            spawned_at: header.spawned_at(),
        }
    }

    /// A task that is yet to be made.
    pub(super) fn of_task(id: Id, spawned_at: &'static Location<'static>) -> Self {
        Self {
            id,
            kind: TaskKind::Task,
            name: None,
            spawned_at,
        }
    }

    /// Which one it is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }

    /// Whether it is a task or an actor.
    #[must_use]
    pub fn kind(&self) -> TaskKind {
        self.kind
    }

    /// Its name, if it has one: an actor's is that of its type, unless one was given at spawn.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.name
    }

    /// The call that spawned it.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }
}

/// A hook, which is equal to its own clones alone.
pub(super) struct Hook<F: ?Sized>(Arc<F>);

pub(super) type OnTask = Hook<dyn Fn(&TaskMeta<'_>) + Send + Sync>;
pub(super) type OnThread = Hook<dyn Fn() + Send + Sync>;

impl<F: ?Sized> Hook<F> {
    pub(super) fn new(hook: Arc<F>) -> Self {
        Self(hook)
    }

    pub(super) fn get(&self) -> &F {
        &self.0
    }
}

impl<F: ?Sized> Clone for Hook<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> PartialEq for Hook<F> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<F: ?Sized> Eq for Hook<F> {}

impl<F: ?Sized> fmt::Debug for Hook<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

/// The hooks of a scheduler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TaskHooks {
    pub(super) spawn: Option<OnTask>,
    pub(super) terminate: Option<OnTask>,
    pub(super) undelivered: Option<Hook<Observer>>,
}

impl TaskHooks {
    /// A task or an actor is about to be spawned.
    #[inline]
    pub(super) fn spawned<'a>(&self, meta: impl FnOnce() -> TaskMeta<'a>) {
        if let Some(hook) = &self.spawn {
            fenced("on_task_spawn", || hook.get()(&meta()));
        }
    }

    /// It has ended, or was refused.
    #[inline]
    pub(super) fn terminated<'a>(&self, meta: impl FnOnce() -> TaskMeta<'a>) {
        if let Some(hook) = &self.terminate {
            fenced("on_task_terminate", || hook.get()(&meta()));
        }
    }
}

/// Runs a hook. A panic in it is reported, and the hook has said nothing.
pub(super) fn fenced<R>(name: &'static str, hook: impl FnOnce() -> R) -> Option<R> {
    match catch(hook) {
        Ok(said) => Some(said),
        Err(payload) => {
            contain(|| trace::hook_panicked(name, text_of(&payload)));
            discard(payload);
            None
        }
    }
}
