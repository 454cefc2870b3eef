//! How pumps are woken.
//!
//! A wake from within a tokio worker puts the pump into that worker's LIFO slot, which no other
//! worker can steal from, and wakes no thread. So from within a task a *bump* follows: a new task
//! that does nothing, but pushes the pump out to where it can be stolen, and has tokio look for a
//! worker that is idle. (A task kept for this would not do: while it is still queued from the
//! last time, waking it moves nothing.) Wakes by the driver, between tasks, go without: there the
//! worker is about to run what it found. So do wakes while all of tokio's workers are busy: there
//! is nobody to steal the pump, which comes next where it is, and last where it would be pushed.

use std::task::Waker;

use tokio::runtime::Handle;

use super::place;
use super::shared::Shared;
use crate::exec::core::Host;
use crate::sync::Mutex;

/// The waker of a slot's pump.
#[derive(Debug, Default)]
pub(super) struct Signal(Mutex<Option<Waker>>);

impl Signal {
    pub(super) fn set(&self, waker: Option<Waker>) {
        let old = std::mem::replace(&mut *self.0.lock(), waker);
        drop(old);
    }

    /// Wakes the pump. One without a waker has not been polled yet, so it will be.
    fn wake(&self) {
        // Outside of the lock: a waker is foreign code.
        let waker = self.0.lock().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Host for Shared {
    fn wake(&self, slot: usize) {
        self.arm();
        self.signal(slot).wake();
        if self.core().slots().len() > 1
            && place::is_in_task()
            && let Some(handle) = self.host()
            && has_sleeper(&handle)
        {
            drop(handle.spawn(async {}));
        }
    }
}

/// Wakes pumps for what the worker that wakes them does not come to soon. A worker of tokio's that
/// is awake may be about to sleep: so the bump follows in any case.
pub(super) struct Lending<'a>(pub(super) &'a Shared);

impl Host for Lending<'_> {
    fn wake(&self, slot: usize) {
        let Self(shared) = self;
        shared.arm();
        shared.signal(slot).wake();
        if shared.core().slots().len() > 1 && place::is_in_task() {
            shared.bump();
        }
    }
}

impl Shared {
    /// Wakes a pump though another was woken already, and has tokio wake a worker for it. If none
    /// sleeps, each of them: one that has put itself off on a worker waits there, in tokio's
    /// deferral, for the end of that worker's poll, and this takes it out.
    pub(super) fn wake_another(&self) {
        match self.core().idle().rouse_another() {
            Some(slot) => self.signal(slot).wake(),
            None => self.signals().iter().for_each(Signal::wake),
        }
        self.bump();
    }

    fn bump(&self) {
        if let Some(handle) = self.host() {
            drop(handle.spawn(async {}));
        }
    }
}

/// Whether a worker of tokio's sleeps. It may be a while that one is said to which no longer does.
#[cfg(target_has_atomic = "64")]
fn has_sleeper(handle: &Handle) -> bool {
    let metrics = handle.metrics();
    // The count is odd while the worker sleeps.
    (0..metrics.num_workers()).any(|worker| metrics.worker_park_unpark_count(worker) % 2 == 1)
}

/// Without 64-bit atomics tokio does not tell.
#[cfg(not(target_has_atomic = "64"))]
fn has_sleeper(_: &Handle) -> bool {
    true
}
