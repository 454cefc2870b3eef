//! Who still needs a session, and whether new ones are let in.

// Statistics are no part of the protocol, and so of no model.
use std::sync::atomic::AtomicU64;
use std::task::Waker;

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Counts the live worlds of a session.
///
/// | word | admit | leave | close |
/// | --- | --- | --- | --- |
/// | open, n leases | n + 1 | n - 1 | closing |
/// | closing, n > 1 leases | refused | n - 1 | as it is |
/// | closing, 1 lease | refused | closing, none left | as it is |
/// | closing, none left | refused | - | ended |
/// | ended | refused | - | as it is |
///
/// Whoever finds it closing with none left ends it, by the one compare-exchange there is: a check
/// reads first, and writes nothing as long as there are leases.
#[derive(Debug)]
pub(super) struct Leases {
    word: AtomicUsize,
    waiters: Mutex<Vec<Waker>>,
    checks: AtomicU64,
    exchanges: AtomicU64,
}

const CLOSING: usize = 1;
const ENDED: usize = 2;
const LEASE: usize = 4;

impl Leases {
    pub(super) fn new() -> Self {
        Self {
            word: AtomicUsize::new(0),
            waiters: Mutex::new(Vec::new()),
            checks: AtomicU64::new(0),
            exchanges: AtomicU64::new(0),
        }
    }

    /// Whether there is one more now.
    #[must_use]
    pub(super) fn admit(&self) -> bool {
        // Ordering: Relaxed; a lease publishes nothing, `leave` and `close` do.
        let mut word = self.word.load(Ordering::Relaxed);
        while word & CLOSING == 0 {
            let next = word + LEASE;
            let exchange = self.word.compare_exchange_weak(
                word,
                next,
                // Ordering: Acquire on success, Relaxed on failure; as above.
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            match exchange {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// One less.
    pub(super) fn leave(&self) {
        // Ordering: Release; what the holder did pairs with the Acquire load in `check`.
        let before = self.word.fetch_sub(LEASE, Ordering::Release);
        if before & CLOSING != 0 {
            self.check();
        }
    }

    /// Lets nobody in any more.
    pub(super) fn close(&self) {
        // Ordering: AcqRel; pairs with the Acquire load in `is_closing`, and as in `leave`.
        self.word.fetch_or(CLOSING, Ordering::AcqRel);
        self.check();
    }

    #[inline]
    pub(super) fn is_closing(&self) -> bool {
        // Ordering: Acquire; pairs with `close`.
        self.word.load(Ordering::Acquire) & CLOSING != 0
    }

    pub(super) fn has_ended(&self) -> bool {
        // Ordering: Acquire; pairs with the exchange in `check`.
        self.word.load(Ordering::Acquire) & ENDED != 0
    }

    #[cfg(not(greenroom_loom))]
    pub(super) fn count(&self) -> usize {
        // Ordering: Acquire; pairs with the Release in `leave`, so that who reads a count sees
        // what was done before it.
        self.word.load(Ordering::Acquire) / LEASE
    }

    /// Ends it if nobody is left: reads, and writes only then.
    fn check(&self) {
        // Ordering: Relaxed; a statistic.
        self.checks.fetch_add(1, Ordering::Relaxed);
        // Ordering: Acquire; pairs with the Release in `leave` of all others.
        if self.word.load(Ordering::Acquire) != CLOSING {
            return;
        }
        // Ordering: Relaxed; a statistic.
        self.exchanges.fetch_add(1, Ordering::Relaxed);
        let exchange = self.word.compare_exchange(
            CLOSING,
            CLOSING | ENDED,
            // Ordering: AcqRel on success, pairs with `has_ended`; Relaxed on failure, when
            // another has ended it.
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        if exchange.is_ok() {
            let waiters = std::mem::take(&mut *self.waiters.lock());
            for waiter in waiters {
                wake(waiter);
            }
        }
    }

    /// Wakes the waker at the end; whether that has come already.
    pub(super) fn wait(&self, waker: &Waker) -> bool {
        let mut waiters = self.waiters.lock();
        // Under the lock that `check` takes after its exchange: it either is seen here, or finds
        // the waker.
        if self.has_ended() {
            return true;
        }
        let known = waiters.iter().any(|waiter| waiter.will_wake(waker));
        if !known {
            waiters.push(waker.clone());
        }
        false
    }

    /// How often it was looked whether somebody is left, and how often that wrote.
    #[cfg(not(greenroom_loom))]
    pub(super) fn checks_and_exchanges(&self) -> (u64, u64) {
        // Ordering: Relaxed; statistics.
        let checks = self.checks.load(Ordering::Relaxed);
        (checks, self.exchanges.load(Ordering::Relaxed))
    }
}

/// Wakers are code of users.
fn wake(waker: Waker) {
    crate::contain::contain(|| waker.wake());
}
