//! What an actor has that may live on after a failure: whom it asks, and how it is built anew.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cell::Head;
use super::exit::ExitReason;
use super::identity::Identity;
use super::panics::Policy;
use super::running::{Running, Step};
use super::traits::Actor;
use crate::contain::contain;
use crate::error::BoxError;
use crate::sync::Mutex;

/// Asked what becomes of an actor, and told of it. It is called on the thread that runs the actor,
/// without a lock, and must not block; a panic in it is as [`Verdict::End`].
pub(crate) trait Overseer: Send + Sync + 'static {
    /// An incarnation has ended, or is about to. It is asked once for each, unless the actor was
    /// told to end for good: by a handle's `stop`, by the drop of the last handle, by
    /// `Head::dismiss`, or by the end of its runtime.
    fn judge(&self, exit: &Exit<'_>) -> Verdict;

    /// Whether an actor that stops by itself comes back: then its mailbox stays open, and what is
    /// in it waits for the next incarnation.
    fn outlives_stop(&self) -> bool {
        false
    }

    /// An incarnation has started: its start hook has returned, or it has none.
    fn started(&self, identity: &Identity, incarnation: u64) {
        let _ = (identity, incarnation);
    }

    /// The actor has ended for good: everything of it has gone, and its name is free. Nobody else
    /// who watches it was told.
    fn gone(&self, reason: &ExitReason) {
        let _ = reason;
    }

    /// Whether it is a supervisor, which ends the actor itself as it ends.
    fn is_supervisor(&self) -> bool {
        true
    }

    /// All actors of the runtime are about to be ended, this one among them: told to stop, or,
    /// where it is `late`, killed. True if it need not be told to stop, since it will end.
    fn retire(&self, late: bool) -> bool {
        let _ = late;
        false
    }
}

/// How an incarnation ended.
#[derive(Debug)]
pub(crate) struct Exit<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) reason: &'a ExitReason,
    pub(crate) manner: Manner,
}

/// The kind of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It panicked, its start failed, it was killed, or what it was linked with failed.
    Failed,
    /// It stopped by itself.
    Finished,
    /// A signal halted it.
    Halted,
}

/// What becomes of an actor whose incarnation has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It ends.
    End,
    /// The next incarnation begins.
    Restart,
    /// It waits for `Signal::Restart`, or its end. Meanwhile its mailbox takes messages.
    Wait,
}

/// Builds the next state of the running cell, at once or as its task.
pub(super) type Rebuild = Arc<dyn Fn(Running) -> Step + Send + Sync>;

/// Makes an actor, for each incarnation.
pub(crate) struct Factory<A> {
    rebuild: Rebuild,
    is_once: bool,
    _actor: PhantomData<fn() -> A>,
}

impl<A> Clone for Factory<A> {
    fn clone(&self) -> Self {
        Self {
            rebuild: Arc::clone(&self.rebuild),
            is_once: self.is_once,
            _actor: PhantomData,
        }
    }
}

impl<A: Actor> Factory<A> {
    /// One by a function that may fail, or panic.
    pub(crate) fn new<F, Fut>(factory: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, BoxError>> + Send + 'static,
    {
        // SAFETY: the type sees to it that a cell of `A` gets it, which calls it in a stage without
        // a state, when there is no task.
        let rebuild = move |running: Running| unsafe { running.build::<A, _>(factory()) };
        Self {
            rebuild: Arc::new(rebuild),
            is_once: false,
            _actor: PhantomData,
        }
    }

    /// It is asked for the first state alone: the actor can't be restarted.
    pub(super) fn once(self) -> Self {
        Self {
            is_once: true,
            ..self
        }
    }
}

impl Head {
    /// Which life of the actor this is; 0 before the first.
    pub(super) fn incarnation_number(&self) -> u64 {
        self.life().map_or(1, Life::incarnation)
    }
}

/// What is let go at the end.
#[derive(Default)]
struct Means {
    overseer: Option<Arc<dyn Overseer>>,
    rebuild: Option<Rebuild>,
    /// It makes the first state, and no other.
    is_once: bool,
}

pub(super) struct Life {
    means: Mutex<Means>,
    pub(super) policy: Option<Policy>,
    incarnation: AtomicU64,
}

impl Life {
    /// The life of an actor whose state is there, or is yet to be built, if there is more to it
    /// than to others'.
    pub(super) fn of<A: Actor>(
        overseer: Option<Arc<dyn Overseer>>,
        factory: Option<Factory<A>>,
        policy: Option<Policy>,
        has_state: bool,
    ) -> Option<Self> {
        if overseer.is_none() && factory.is_none() && policy.is_none() {
            return None;
        }
        let is_once = factory.as_ref().is_some_and(|factory| factory.is_once);
        let means = Means {
            overseer,
            rebuild: factory.map(|factory| factory.rebuild),
            is_once,
        };
        Some(Self {
            policy,
            means: Mutex::new(means),
            incarnation: AtomicU64::new(has_state.into()),
        })
    }

    pub(super) fn overseer(&self) -> Option<Arc<dyn Overseer>> {
        self.means.lock().overseer.clone()
    }

    /// Whether the actor comes back if it stops by itself.
    pub(super) fn outlives_stop(&self) -> bool {
        let overseer = self.overseer();
        overseer.is_some_and(|overseer| overseer.outlives_stop())
    }

    /// What makes the state of the incarnation that begins.
    pub(super) fn rebuild(&self) -> Option<Rebuild> {
        let mut means = self.means.lock();
        match means.is_once {
            true => means.rebuild.take(),
            false => means.rebuild.clone(),
        }
    }

    /// Whether there can be another incarnation.
    pub(super) fn can_rebuild(&self) -> bool {
        let means = self.means.lock();
        means.rebuild.is_some() && !means.is_once
    }

    /// Lets go of what it was given: the last incarnation has ended. Gives who is to be told.
    #[must_use]
    pub(super) fn end(&self) -> Option<Arc<dyn Overseer>> {
        let means = std::mem::take(&mut *self.means.lock());
        contain(|| drop(means.rebuild));
        means.overseer
    }

    pub(super) fn incarnation(&self) -> u64 {
        // Ordering: Relaxed; a number that may be old when it is read.
        self.incarnation.load(Ordering::Relaxed)
    }

    pub(super) fn begin_incarnation(&self) {
        // Ordering: Relaxed; as above, and the run-right holder alone writes it.
        self.incarnation.fetch_add(1, Ordering::Relaxed);
    }
}
