//! How an executor ends.
//!
//! *From within*: [`Shared::close`] refuses newcomers, cancels all units and wakes the pumps,
//! which run them out; a pump that finds the owned list closed and empty ends.
//!
//! *From without*: the host drops the pumps, one after the other, and may wait between for one
//! that is in a poll, whose unit may wait for another unit. So the first that is dropped closes
//! the executor and runs out what waits, and from then on whoever pushes does the same: see
//! `drain`. A unit that another thread is just waking is run out there, or by whoever runs out
//! units just then, perhaps after the host's drop has returned: to wait here for that thread would
//! be to wait for whatever it is in the middle of.
//!
//! Either way the last pump to go runs out, on its thread, whatever is left, and nothing of the
//! host is kept.

use std::cell::RefCell;
use std::sync::Arc;

use super::context;
use super::registry;
use super::shared::Shared;
use crate::exec::core::{Host, Local};
use crate::exec::executor::Executor;
use crate::sync::atomic::Ordering;

impl Shared {
    /// Starts the end: all units are cancelled, and none is taken any more.
    pub(in crate::exec) fn close(&self) {
        self.core().close();
        self.wake_all();
    }

    pub(in crate::exec) fn is_closing(&self) -> bool {
        self.core().is_closing()
    }

    /// Whether the last pump has gone, and nothing of the host is kept.
    pub(super) fn is_gone(&self) -> bool {
        // Ordering: Acquire; pairs with the Release in `end`.
        self.is_gone.load(Ordering::Acquire)
    }

    /// Completes when the last pump has gone and all units have ended.
    pub(in crate::exec) async fn wait_for_end(&self) {
        loop {
            let gone = self.gone.notified();
            if self.is_gone() {
                return;
            }
            gone.await;
        }
    }

    pub(super) fn wake_all(&self) {
        for slot in 0..self.signals().len() {
            self.wake(slot);
        }
    }

    /// A pump goes: of itself, or because its host drops it. It has no half if it drives no worker
    /// any more.
    pub(super) fn pump_ended(self: &Arc<Self>, half: Option<Local>, is_dropped: bool) {
        let executor = Executor::from_shared(Arc::clone(self));
        let half = RefCell::new(half);
        context::enter(&executor, &half, || {
            if is_dropped {
                // By each that is dropped, so that none runs out a unit that is not cancelled yet.
                self.core().close();
            }
            if let Some(local) = &*half.borrow() {
                self.signal(local.slot()).set(None);
                self.core().leave(local, &**self);
            }
            if is_dropped {
                self.drain.end(self.core());
            }
            self.pump_went();
        });
        if let Some(local) = half.into_inner() {
            self.return_spare(local);
        }
    }

    /// A pump has gone, or was counted and is not to come.
    pub(super) fn pump_went(self: &Arc<Self>) {
        // Ordering: AcqRel; the last one sees what the others left behind.
        if self.pumps.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    fn end(self: &Arc<Self>) {
        if self.is_attached {
            registry::remove(self);
        }
        self.core().close();
        self.drain.end(self.core());
        for signal in self.signals() {
            signal.set(None);
        }
        let handle = self.handle.lock().take();
        drop(handle);
        self.extensions.end();
        // Ordering: Release; pairs with the Acquire in `is_gone`.
        self.is_gone.store(true, Ordering::Release);
        self.gone.notify_waiters();
    }
}
