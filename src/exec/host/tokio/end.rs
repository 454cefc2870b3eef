//! How an executor ends.
//!
//! *From within*: [`Shared::close`] refuses newcomers, cancels all units and wakes the pumps,
//! which run them out; a pump that finds the owned list closed and empty ends. *From without*:
//! the host drops the pumps. Either way the last pump to go runs out, on its thread, whatever
//! is left, and nothing of the host is kept.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread;

use super::context;
use super::registry;
use super::shared::Shared;
use crate::exec::core::{Host, Local};
use crate::exec::executor::Executor;
use crate::limits;
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

    pub(in crate::exec) fn has_ended(&self) -> bool {
        self.drain.has_ended()
    }

    /// Completes when the last pump has gone and all units have ended.
    pub(in crate::exec) async fn wait_for_end(&self) {
        loop {
            let gone = self.gone.notified();
            // Ordering: Acquire; pairs with the Release in `end`.
            if self.is_gone.load(Ordering::Acquire) {
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

    /// A pump goes, for whatever reason.
    pub(super) fn pump_ended(self: &Arc<Self>, local: Local) {
        let executor = Executor::from_shared(Arc::clone(self));
        let half = RefCell::new(Some(local));
        context::enter(&executor, &half, || {
            if let Some(local) = &*half.borrow() {
                self.signal(local.slot()).set(None);
                self.core().leave(local, &**self);
            }
            self.pump_went();
        });
        if let Some(local) = half.into_inner() {
            self.return_spare(local);
        }
    }

    /// A pump has gone that drives no worker any more.
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
        self.await_stragglers();
        for signal in self.signals() {
            signal.set(None);
        }
        let handle = self.handle.lock().take();
        drop(handle);
        // Ordering: Release; pairs with the Acquire in `wait_for_end`.
        self.is_gone.store(true, Ordering::Release);
        self.gone.notify_waiters();
    }

    /// A unit that another thread is waking just now is in no queue before that thread has put it
    /// there, and then runs out on that thread, or here.
    fn await_stragglers(&self) {
        for _ in 0..limits::END_YIELDS {
            if self.core().owned().is_empty() {
                return;
            }
            thread::yield_now();
            self.drain.after_push(self.core());
        }
    }
}
