//! Which unit this thread is running.
//!
//! # Invariant
//!
//! - **N1.** While `CURRENT` is a unit and code of the user's runs on the thread, a count keeps
//!   that unit: the run's own. Between the end of a run, which gives it up, and the drop of
//!   [`Entered`] no such code runs; what runs while the unit itself is freed finds no unit.

use std::cell::Cell;
use std::ptr::NonNull;

use super::unit::Header;
use crate::id::Id;

thread_local! {
    static CURRENT: Cell<Option<NonNull<Header>>> = const { Cell::new(None) };
}

/// Puts back what was running before.
pub(crate) struct Entered(Option<NonNull<Header>>);

impl Entered {
    /// The thread runs this unit until the result is dropped (N1).
    #[inline]
    pub(super) fn new(unit: NonNull<Header>) -> Self {
        Self(CURRENT.replace(Some(unit)))
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The unit is about to be freed, perhaps on the thread that ran it (N1).
pub(super) fn leave(unit: NonNull<Header>) {
    if CURRENT.get() == Some(unit) {
        CURRENT.set(None);
    }
}

/// The unit that this thread is running. While code of the user's runs, a count keeps it (N1).
#[inline]
pub(crate) fn current() -> Option<NonNull<Header>> {
    CURRENT.get()
}

/// Which task this thread is running: one of [`spawn`](fn@crate::spawn) and its kin, or a job of
/// [`spawn_blocking`](crate::spawn_blocking).
///
/// It is still so while the task's future is dropped. In an actor's handlers and hooks it is the
/// actor, as [`Context::id`](crate::Context::id) is.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let task = greenroom::spawn(async { greenroom::id() });
/// let id = task.id();
/// assert_eq!(task.await?, id);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a task of greenroom's: also in tasks of tokio's own, and in the future of `block_on`.
#[must_use]
#[track_caller]
pub fn id() -> Id {
    match try_id() {
        Some(id) => id,
        None => panic!("greenroom::id: this is not inside a task of greenroom's"),
    }
}

/// As [`id`], or `None` where that panics.
#[must_use]
pub fn try_id() -> Option<Id> {
    // SAFETY: N1: the caller is code of the user's, or called by such.
    current().map(|unit| unsafe { unit.as_ref() }.id())
}
