//! Which unit this thread is running.

use std::cell::Cell;

use crate::id::Id;

thread_local! {
    static CURRENT: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Puts back what was running before.
pub(crate) struct Entered(Option<Id>);

impl Entered {
    /// The thread runs the unit with this id until the result is dropped.
    #[inline]
    pub(super) fn new(id: Id) -> Self {
        Self(CURRENT.replace(Some(id)))
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
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
    CURRENT.get()
}
