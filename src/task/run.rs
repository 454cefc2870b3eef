//! One activation of a task.

use std::future::Future;
use std::ptr::NonNull;
use std::task::{Context, Poll};

use super::cell::{Cell, Outcome};
use super::error::JoinError;
use super::state::Pause;
use super::unit::{Header, Unit, borrow_waker};
use crate::contain::{Payload, contain, discard};

/// The run right of a task whose stage holds the future: a witness of RUNNING.
struct Running<F: Future, L> {
    cell: NonNull<Cell<F, L>>,
    /// The runner's count.
    unit: Unit,
}

/// Runs a task once.
///
/// # Safety
///
/// - As `Vtable::run`, of a task with this future and label.
pub(super) unsafe fn run<F: Future, L>(header: NonNull<Header>) {
    let running = Running::<F, L> {
        cell: header.cast(),
        // SAFETY: the caller hands over one count.
        unit: unsafe { Unit::from_raw(header) },
    };
    if running.unit.header().state.begin().is_cancelled() {
        return running.cancel();
    }
    match running.poll() {
        Poll::Pending => running.pause(),
        Poll::Ready(outcome) => running.finish(outcome),
    }
}

impl<F: Future, L> Running<F, L> {
    fn cell(&self) -> &Cell<F, L> {
        // SAFETY: U1, and `unit` keeps the allocation.
        unsafe { self.cell.as_ref() }
    }

    /// Polls the future, and drops it if that was the last poll.
    fn poll(&self) -> Poll<Outcome<F::Output>> {
        // SAFETY: `unit` keeps the allocation, and the waker is not dropped by value.
        let waker = unsafe { borrow_waker(self.unit.as_raw()) };
        // SAFETY: this is the runner, and the stage holds the future.
        let polled = unsafe { self.cell().poll(&mut Context::from_waker(&waker)) };
        let outcome = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Ok(output),
            Err(payload) => Err(self.panicked(payload)),
        };
        Poll::Ready(self.clear(outcome))
    }

    /// Drops the future. A panic in that overrides an output or a cancellation, not another panic.
    fn clear(&self, outcome: Outcome<F::Output>) -> Outcome<F::Output> {
        // SAFETY: this is the runner, the stage holds the future, and all callers finish next.
        let Err(payload) = (unsafe { self.cell().drop_future() }) else {
            return outcome;
        };
        if matches!(&outcome, Err(error) if error.is_panic()) {
            discard(payload);
            return outcome;
        }
        contain(|| drop(outcome));
        Err(self.panicked(payload))
    }

    #[cold]
    fn panicked(&self, payload: Payload) -> JoinError {
        let id = self.unit.header().id();
        #[cfg(not(greenroom_loom))]
        contain(|| crate::trace::task_panicked(id.as_u64(), self.unit.name(), &payload));
        JoinError::panicked(id, payload)
    }

    /// Gives the run right back after a poll that was not the last, if nobody aborted meanwhile.
    fn pause(self) {
        match self.unit.header().state.pause() {
            Pause::Cancelled => self.cancel(),
            Pause::Idle => {
                // The count went with the transition.
                self.unit.into_raw();
            }
            // SAFETY: the last count went with the transition.
            Pause::Last => unsafe { Unit::dispose(self.unit.into_raw()) },
            again @ (Pause::Again | Pause::AgainBackground) => {
                // SAFETY: U1 holds for `unit`; the transition added the count that is taken over.
                let unit = unsafe { Unit::from_raw(self.unit.as_raw()) };
                // The runner's own count keeps the scheduler during the call: see `Unit::follow`.
                let scheduler = self.unit.header().scheduler();
                if again == Pause::Again {
                    scheduler.schedule_yielded(unit);
                } else {
                    scheduler.schedule_background(unit);
                }
            }
        }
    }

    /// Ends the task without a further poll.
    fn cancel(self) {
        let id = self.unit.header().id();
        let outcome = self.clear(Err(JoinError::cancelled(id)));
        self.finish(outcome);
    }

    /// Ends the task: its future is gone. First the owned list forgets it, then its end is
    /// announced, so that who joins sees neither.
    fn finish(self, outcome: Outcome<F::Output>) {
        let header = self.unit.header();
        let trunk = self.cell().trunk();
        // SAFETY: this is the runner, and the stage holds nothing.
        unsafe { self.cell().write_output(outcome) };
        let listed = header.scheduler().unbind(header);
        let snapshot = header.state.complete();
        if !snapshot.is_joined() {
            // SAFETY: J4: the handle left before Complete, so the output is the runner's.
            unsafe { self.cell().drop_output() };
        }
        // SAFETY: this is the runner, and it has just completed.
        unsafe { trunk.announce(snapshot) };
        self.unit.release_with(listed);
    }
}
