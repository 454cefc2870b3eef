//! The threads of a runtime of one's own.

use std::cell::Cell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// The runtime that this thread was started by. The thread's hooks keep it alive.
    static MINE: Cell<*const Threads> = const { Cell::new(ptr::null()) };
}

/// How many threads there are. In a current-thread runtime, those for blocking jobs alone.
#[derive(Debug, Default)]
pub(super) struct Threads(AtomicUsize);

impl Threads {
    /// This thread was started by the runtime.
    pub(super) fn started(self: &Arc<Self>) {
        MINE.set(Arc::as_ptr(self));
        // Ordering: Relaxed; a statistic.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// This thread is about to end.
    pub(super) fn stopped(&self) {
        // Ordering: Relaxed; a statistic.
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn count(&self) -> usize {
        // Ordering: Relaxed; a statistic.
        self.0.load(Ordering::Relaxed)
    }

    /// Whether this thread is one of them: it can't wait for its own end.
    pub(super) fn is_mine(&self) -> bool {
        MINE.try_with(|mine| ptr::eq(mine.get(), self))
            .unwrap_or(false)
    }
}
