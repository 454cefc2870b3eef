//! The right to a task's output.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use super::abort::AbortHandle;
use super::cell::{Outcome, Prefix};
use super::error::JoinError;
use super::state::Leave;
use super::trunk::Wait;
use super::unit::{Header, Unit};
use crate::id::Id;

/// A spawned task's handle: await it for the task's output.
///
/// Dropping it detaches the task, which runs on; [`JoinHandle::abort`] ends it. Awaiting gives the
/// output, or a [`JoinError`] if the task panicked or was aborted, and does so only after the
/// task's future was dropped. It is cancel safe, and works on any thread, inside a runtime or not,
/// also after the task's runtime has gone.
///
/// ```
/// # #[tokio::main] async fn main() {
/// let endless = greenroom::spawn(std::future::pending::<()>());
/// endless.abort();
/// let error = endless.await.expect_err("it was aborted");
/// assert!(error.is_cancelled());
/// # }
/// ```
///
/// # Panics
///
/// Polling it again after it gave the output panics.
pub struct JoinHandle<T> {
    /// Dropped by hand, since its count may go with the transition [`Leave`].
    unit: ManuallyDrop<Unit>,
    output: PhantomData<*const T>,
}

// SAFETY: the handle moves an output of type `T` to the thread that it is polled or dropped on, and
// is otherwise a `Unit`, which is `Send`.
unsafe impl<T: Send> Send for JoinHandle<T> {}
// SAFETY: `&JoinHandle` gives no access to the output.
unsafe impl<T: Send> Sync for JoinHandle<T> {}
impl<T> UnwindSafe for JoinHandle<T> {}
impl<T> RefUnwindSafe for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// Takes over the handle's count.
    ///
    /// # Safety
    ///
    /// - `header` is that of a cell whose output is a `T`, with JOINED set, and no other handle of
    ///   it exists or will.
    pub(super) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self {
            // SAFETY: the caller's.
            unit: ManuallyDrop::new(unsafe { Unit::from_raw(header) }),
            output: PhantomData,
        }
    }

    /// Asks the task to end at its current await.
    ///
    /// A task that is not running is queued, and a worker drops its future. One that is running
    /// ends after its current poll, unless that poll gives the output: then the output counts. On a
    /// task that has ended this does nothing. Await the handle to know that the future is gone.
    pub fn abort(&self) {
        self.unit.cancel();
    }

    /// A handle that can abort the task and has no claim on its output.
    #[must_use = "an abort handle does nothing unless `abort` is called"]
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle::new(Unit::clone(&self.unit))
    }

    /// Whether the task has ended and its future is gone. False for a while after an abort.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.unit.header().state.load().is_complete()
    }

    /// Which task it is.
    #[must_use]
    pub fn id(&self) -> Id {
        self.unit.header().id()
    }

    /// Leaves `waker` to be woken at the end, or says that the task has ended.
    #[cfg(not(greenroom_loom))]
    #[track_caller]
    pub(crate) fn watch(&mut self, waker: &Waker) -> Wait {
        self.park(waker)
    }

    /// The output of a task that has ended, at no cost to the budget.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn output(mut self) -> Option<Result<T, JoinError>> {
        match self.poll_output(Waker::noop()) {
            Poll::Ready(outcome) => Some(outcome),
            Poll::Pending => None,
        }
    }

    #[track_caller]
    fn park(&mut self, waker: &Waker) -> Wait {
        let snapshot = self.unit.header().state.load();
        assert!(
            snapshot.is_joined(),
            "`JoinHandle` polled after it gave the output"
        );
        // SAFETY: this is the handle, and JOINED says that it has neither settled nor left.
        unsafe { self.prefix().trunk().park(snapshot, waker) }
    }

    fn prefix(&self) -> &Prefix<T> {
        // SAFETY: U1 and C2; `unit` keeps the allocation.
        unsafe { self.unit.as_raw().cast::<Prefix<T>>().as_ref() }
    }

    /// Reads the output, or leaves `waker` to be woken when there is one.
    #[track_caller]
    pub(super) fn poll_output(&mut self, waker: &Waker) -> Poll<Outcome<T>> {
        if self.park(waker) == Wait::Parked {
            return Poll::Pending;
        }
        // SAFETY: J4: the task has ended while JOINED was set, so the output is the handle's.
        let outcome = unsafe { self.prefix().take_output() };
        if self.unit.header().state.settle() {
            // SAFETY: WAKER was clear, so the field is the handle's.
            unsafe { self.prefix().trunk().clear_waker() };
        }
        Poll::Ready(outcome)
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    #[cfg(not(greenroom_loom))]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let coop = std::task::ready!(tokio::task::coop::poll_proceed(cx));
        let polled = self.poll_output(cx.waker());
        if polled.is_ready() {
            coop.made_progress();
        }
        polled
    }

    #[cfg(greenroom_loom)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_output(cx.waker())
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        match self.unit.header().state.leave() {
            Leave::Gone => {}
            // SAFETY: the last count went with the transition.
            Leave::Last => unsafe { Unit::dispose(self.unit.as_raw()) },
            Leave::Owns { output, waker } => {
                if output {
                    // SAFETY: J4: the task has ended while JOINED was set.
                    unsafe { self.prefix().drop_output() };
                }
                if waker {
                    // SAFETY: the transition left the field to the handle.
                    unsafe { self.prefix().trunk().clear_waker() };
                }
                // SAFETY: once, here; the transition left the count.
                unsafe { ManuallyDrop::drop(&mut self.unit) };
            }
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(f, "JoinHandle", &self.unit)
    }
}

/// What handles show of their task.
pub(super) fn describe(f: &mut fmt::Formatter<'_>, handle: &str, unit: &Unit) -> fmt::Result {
    let mut shown = f.debug_struct(handle);
    shown.field("id", &unit.header().id());
    if let Some(name) = unit.name() {
        shown.field("name", &name);
    }
    shown.finish()
}
