//! What is done after the lock was let go: user code, all of it.

use std::task::Waker;

use super::node::{BY_LANE, List, Loose};
use super::{Accepted, Discard};
use crate::contain::contain;
use crate::limits::WAKES_PER_LOCK;

/// Wakers and dropped messages collected under the lock, to be called and discarded after it.
#[must_use]
pub(super) struct After {
    wakers: [Option<Waker>; WAKES_PER_LOCK],
    count: usize,
    /// In no other list (N1).
    dropped: List<BY_LANE>,
    /// Whether somebody has to notify the actor.
    pub(super) accepted: Accepted,
}

impl After {
    pub(super) fn new() -> Self {
        Self {
            wakers: [const { None }; WAKES_PER_LOCK],
            count: 0,
            dropped: List::new(),
            accepted: Accepted::Attended,
        }
    }

    /// Whether what is left to do has to wait for another round.
    pub(super) fn is_full(&self) -> bool {
        self.count == WAKES_PER_LOCK
    }

    pub(super) fn wake(&mut self, waker: Option<Waker>) {
        self.wakers[self.count] = waker;
        self.count += 1;
    }

    pub(super) fn drop_message(&mut self, message: Loose) {
        // SAFETY: a taken node is in no list; this one is known to nobody else.
        unsafe { self.dropped.push(message.into_node()) };
    }

    /// Calls the wakers, where no message was dropped; the lock is not held.
    pub(super) fn wake_all(self) {
        debug_assert!(self.dropped.is_empty());
        let wakers = self.wakers.into_iter().flatten();
        wakers.for_each(|waker| contain(|| waker.wake()));
    }

    /// Does it all; the lock is not held. Says whether somebody has to notify the actor.
    pub(super) fn run(mut self, discard: &impl Discard) -> Accepted {
        let wakers = std::mem::take(&mut self.wakers).into_iter().flatten();
        wakers.for_each(|waker| contain(|| waker.wake()));
        // SAFETY: the list is this value's own, and what is popped is in none.
        while let Some(message) = unsafe { self.dropped.pop().map(|node| Loose::new(node)) } {
            // SAFETY: N2; the envelope is not read again.
            contain(|| unsafe { discard.discard(message.slot()) });
        }
        self.accepted
    }
}
