//! A latch that tells a cell that its last actor is done, the same for every peer.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Opens when [`Countdown::arrive`] has been called as often as expected.
#[derive(Default)]
pub struct Countdown {
    left: AtomicUsize,
    open: Notify,
}

impl Countdown {
    /// Closes the latch for so many arrivals; to be called before the first of them.
    pub fn expect(&self, arrivals: usize) {
        // Ordering: Relaxed; the messages that set the actors going order it before `arrive`.
        self.left.store(arrivals, Ordering::Relaxed);
    }

    /// Counts one arrival; the last one opens the latch.
    pub fn arrive(&self) {
        // Ordering: AcqRel; the arrivals pair with each other, `Notify` with the waiter.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.open.notify_one();
        }
    }

    /// Waits for the last arrival; for one waiter.
    pub async fn wait(&self) {
        self.open.notified().await;
    }
}
