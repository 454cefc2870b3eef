//! State and futures that stay on the thread that made them, whatever type says that they move.
//!
//! T1: the value is reached, polled and dropped on the thread that made it, and on no other. Each
//! access compares threads first, whose ids are never given twice; elsewhere an access panics, and
//! a drop leaks. So it does not matter to soundness who has the value, or where.
//!
//! T2: a future is in a box of its own, which is leaked with it: what is pinned keeps its place
//! until it is dropped, or for ever.

use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::{self, ThreadId};

use crate::contain::contain;

/// The state of an actor that is [`local`](crate::actor): it is `Send`, though what it holds need
/// not be, and its thread alone reaches that.
///
/// It is the actor's type for all that takes one: `Handle<OneThread<Drawing>>`,
/// `Child::new(|| OneThread::new(Drawing::default()))`. The factory runs on the actor's thread, so
/// what it makes belongs there. One that was made elsewhere can't be reached by its actor: its
/// first handler or hook panics, and it is never dropped.
pub struct OneThread<T> {
    home: ThreadId,
    value: ManuallyDrop<T>,
}

// SAFETY: T1.
unsafe impl<T> Send for OneThread<T> {}

impl<T> OneThread<T> {
    /// Keeps the value on this thread.
    pub fn new(value: T) -> Self {
        Self {
            home: thread::current().id(),
            value: ManuallyDrop::new(value),
        }
    }

    /// # Panics
    ///
    /// On another thread.
    pub(super) fn get(&self) -> &T {
        check(self.home);
        &self.value
    }

    /// # Panics
    ///
    /// On another thread.
    pub(super) fn get_mut(&mut self) -> &mut T {
        check(self.home);
        &mut self.value
    }
}

impl<T> Drop for OneThread<T> {
    fn drop(&mut self) {
        if is_home(self.home, "the state") {
            // SAFETY: T1; it is dropped here alone, once.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

impl<T> fmt::Debug for OneThread<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneThread")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

/// A future of a handler or hook, likewise.
pub(super) struct Kept<F> {
    home: ThreadId,
    future: ManuallyDrop<Pin<Box<F>>>,
}

// SAFETY: T1, T2.
unsafe impl<F> Send for Kept<F> {}

impl<F> Kept<F> {
    pub(super) fn new(future: F) -> Self {
        Self {
            home: thread::current().id(),
            future: ManuallyDrop::new(Box::pin(future)),
        }
    }
}

impl<F: Future> Future for Kept<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        check(self.home);
        self.future.as_mut().poll(cx)
    }
}

impl<F> Drop for Kept<F> {
    fn drop(&mut self) {
        if is_home(self.home, "a handler") {
            // SAFETY: T1; it is dropped here alone, once.
            unsafe { ManuallyDrop::drop(&mut self.future) }
        }
    }
}

#[track_caller]
fn check(home: ThreadId) {
    let is_here = thread::current().id() == home;
    assert!(
        is_here,
        "the state of a local actor was made on another thread than its own: make it in a factory"
    );
}

/// Whether this may be dropped here. If not, that is told.
fn is_home(home: ThreadId, what: &str) -> bool {
    let is_here = thread::current().id() == home;
    if !is_here {
        contain(|| tracing::error!("{what} of a local actor is leaked: its thread is another"));
    }
    is_here
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::task::Waker;

    use super::*;
    use crate::contain::catch;

    #[test]
    fn what_stays_on_one_thread_is_reached_and_dropped_there_alone() {
        let dropped = Rc::new(Cell::new(0));
        let mut state = OneThread::new(Rc::clone(&dropped));
        state.get_mut().set(7);
        assert_eq!(state.get().get(), 7);
        drop(state);
        assert_eq!(Rc::strong_count(&dropped), 1);
        let state = OneThread::new(Rc::clone(&dropped));
        let elsewhere = thread::spawn(move || {
            assert!(catch(|| drop(state.get().clone())).is_err());
            drop(state);
        });
        elsewhere.join().expect("it panics inside alone");
        assert_eq!(Rc::strong_count(&dropped), 2, "it is leaked");
    }

    #[test]
    fn a_future_of_one_thread_is_polled_and_dropped_there_alone() {
        let held = Rc::new(());
        let here = Rc::clone(&held);
        let mut future = Kept::new(async move { drop(here) });
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut future).poll(&mut cx).is_ready());
        assert_eq!(Rc::strong_count(&held), 1);
        let here = Rc::clone(&held);
        let mut future = Kept::new(async move { drop(here) });
        let elsewhere = thread::spawn(move || {
            let mut cx = Context::from_waker(Waker::noop());
            assert!(catch(|| Pin::new(&mut future).poll(&mut cx).is_ready()).is_err());
        });
        elsewhere.join().expect("it panics inside alone");
        assert_eq!(Rc::strong_count(&held), 2, "it is leaked");
    }
}
