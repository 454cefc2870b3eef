//! Wakers, from under the lock to after it.

use std::task::Waker;

use crate::contain::contain;
use crate::limits::WAKES_PER_LOCK;

/// Wakers collected under the lock, called after it.
pub(super) struct Wakes([Option<Waker>; WAKES_PER_LOCK], usize);

impl Wakes {
    pub(super) fn new() -> Self {
        Self([const { None }; WAKES_PER_LOCK], 0)
    }

    pub(super) fn is_full(&self) -> bool {
        self.1 == WAKES_PER_LOCK
    }

    pub(super) fn push(&mut self, waker: Option<Waker>) {
        self.0[self.1] = waker;
        self.1 += 1;
    }

    pub(super) fn wake(self) {
        self.0
            .into_iter()
            .flatten()
            .for_each(|waker| contain(|| waker.wake()));
    }
}
