//! How an executor ends.
//!
//! *From within*: [`Shared::close`] refuses newcomers, cancels all units and wakes the pumps,
//! which run them out; a pump that finds the owned list closed and empty ends. *From without*:
//! the host drops the pumps. Either way the last pump to go runs out, on its thread, whatever
//! is left, and nothing of the host is kept.
//!
//! A unit may be running elsewhere at that moment (an actor on its asker's stack). It is
//! cancelled already, and scheduled again when that run ends: so whoever schedules after the end
//! runs what it scheduled. *EndStore* and *PushFence* decide who: either the drain that follows
//! the store sees the unit, or the pusher sees the store.

use std::sync::Arc;

use super::context;
use super::registry;
use super::shared::Shared;
use crate::exec::core::{Host, Local};
use crate::sync::atomic::{Ordering, fence};

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
        // Ordering: Acquire; pairs with EndStore.
        self.ended.load(Ordering::Acquire)
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
        context::enter(self, &local, || {
            self.signal(local.slot()).set(None);
            self.core().leave(&local, &**self);
            // Ordering: AcqRel; the last one sees what the others left behind.
            if self.pumps.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.end();
            }
        });
        self.return_spare(local);
    }

    fn end(self: &Arc<Self>) {
        if self.is_attached {
            registry::remove(self);
        }
        self.core().close();
        // EndStore, EndFence; the fence pairs with the PushFence of `Idle::rouse`.
        self.ended.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        self.drain();
        for signal in self.signals() {
            signal.set(None);
        }
        let handle = self.handle.lock().take();
        drop(handle);
        // Ordering: Release; pairs with the Acquire in `wait_for_end`.
        self.is_gone.store(true, Ordering::Release);
        self.gone.notify_waiters();
    }

    /// After a push: runs what was pushed if there is no pump any more.
    pub(super) fn drain_after_end(&self) {
        if self.has_ended() {
            self.drain();
        }
    }

    /// Runs all units that wait, unless somebody is doing so.
    fn drain(&self) {
        // Ordering: AcqRel and Release; each drainer sees what the one before it did.
        while !self.draining.swap(true, Ordering::AcqRel) {
            while let Some(unit) = self.core().take_any() {
                unit.run();
            }
            self.draining.store(false, Ordering::Release);
            // A pusher that found somebody draining has left its unit to it.
            fence(Ordering::SeqCst);
            if !self.core().has_visible() {
                return;
            }
        }
    }
}
