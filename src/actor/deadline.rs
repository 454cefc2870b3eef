//! The deadline of the handler that a thread polls: asks that it polls inherit it.

use std::cell::Cell;

use tokio::time::Instant;

use crate::id::Id;
use crate::task;

/// A deadline, and the actor whose handler has it: what runs inside that handler's poll, but is no
/// part of it, has another id.
pub(super) type Deadline = (Id, Instant);

thread_local! {
    static CURRENT: Cell<Option<Deadline>> = const { Cell::new(None) };
}

/// Whether this thread polls a handler with a deadline.
#[inline]
pub(super) fn is_set() -> bool {
    CURRENT.get().is_some()
}

/// Whatever this thread polls next has none.
#[inline]
pub(super) fn clear() {
    CURRENT.set(None);
}

/// From now on this thread polls a handler with this deadline; gives what was before, to be put
/// back when the poll is over.
pub(super) fn replace(deadline: Option<Deadline>) -> Option<Deadline> {
    CURRENT.replace(deadline)
}

/// The deadline that an ask which is first polled here inherits.
pub(super) fn inherited() -> Option<Instant> {
    let (actor, deadline) = CURRENT.get()?;
    (task::try_id() == Some(actor)).then_some(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_inherited_outside_of_the_handler_that_has_the_deadline() {
        let deadline = Some((Id::next(), Instant::now()));
        assert_eq!(replace(deadline), None);
        assert_eq!(inherited(), None);
        assert_eq!(replace(None), deadline);
    }
}
