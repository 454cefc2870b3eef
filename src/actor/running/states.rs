//! The states of an actor's incarnations: built, put in place, dropped.

use super::{Running, Stage, Step};
use crate::actor::exit::{ExitReason, StartError};
use crate::actor::traits::Actor;
use crate::actor::waits;
use crate::error::BoxError;

impl Running {
    /// Drops the state, if there is one, when the task is gone. The next stage has none (C4).
    pub(in crate::actor) fn drop_state(self, next: Stage) {
        debug_assert!(!next.has_state());
        let old = self.with(|run| std::mem::replace(&mut run.stage, next));
        if old.has_state() {
            let kind = self.head().kind;
            // SAFETY: C4, C1.
            unsafe { (kind.drop_state)(self.part(kind.state)) };
        }
    }

    /// Moves the state out, if there is one, when the task is gone. The next stage has none (C4).
    ///
    /// # Safety
    ///
    /// - The actor is an `A`.
    pub(in crate::actor) unsafe fn take_state<A: Actor>(self, next: Stage) -> Option<A> {
        debug_assert!(!next.has_state());
        let old = self.with(|run| std::mem::replace(&mut run.stage, next));
        let place = self.part(self.head().kind.state).cast::<A>();
        // SAFETY: C4, C1 and the caller; it is not dropped there any more.
        old.has_state().then(|| unsafe { place.read() })
    }

    /// Puts a state where there is none.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, in a stage without a state (C4).
    unsafe fn put_state<A: Actor>(self, actor: A) {
        let place = self.part(self.head().kind.state).cast::<A>();
        // SAFETY: C1, C4 and the caller: nothing lies there.
        unsafe { place.write(actor) };
        self.with(|run| run.stage = Stage::New);
    }

    /// Builds the next state, as the future gives it.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, in a stage without a state (C4), and there is no task.
    pub(in crate::actor) unsafe fn build<A: Actor, F>(self, future: F) -> Step
    where
        F: Future<Output = Result<A, BoxError>> + Send + 'static,
    {
        self.with(|run| run.stage = Stage::Building);
        // SAFETY: the caller; the future borrows nothing.
        unsafe { self.place(future, built::<A>) }
    }
}

fn built<A: Actor>(running: Running, outcome: Result<A, BoxError>) {
    waits::end(running);
    match outcome {
        // SAFETY: `build`: the actor is an `A`, and has no state while it is being built.
        Ok(actor) => unsafe { running.put_state(actor) },
        Err(error) => {
            let reason = ExitReason::StartFailed(StartError::new(error));
            running.with(|run| run.stage = Stage::Fallen(reason));
        }
    }
}
