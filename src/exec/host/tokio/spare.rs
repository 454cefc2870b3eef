//! Spare pumps: they stand in for pumps that are stuck in a poll, and go when not needed.

use std::sync::Arc;

use super::shared::Shared;
use crate::exec::core::{Host, Local};
use crate::sync::atomic::Ordering;

#[cfg(test)]
mod tests;

impl Shared {
    fn is_spare(&self, slot: usize) -> bool {
        slot >= self.core().workers()
    }

    /// Workers that a pump drives. A pump whose task is in `block_in_place` drives none.
    pub(super) fn workers_running(&self) -> usize {
        self.core().workers() + self.spares_running()
    }

    fn spares_running(&self) -> usize {
        self.core().slots().len() - self.core().workers() - self.spares.lock().len()
    }

    /// Whether the pump is a spare that nobody needs any more.
    pub(super) fn is_superfluous(&self, local: &Local) -> bool {
        // Ordering: Relaxed; a hint of the monitor, which comes again.
        self.is_spare(local.slot()) && self.spares_running() > self.stuck.load(Ordering::Relaxed)
    }

    /// The half of a spare slot is free again.
    pub(super) fn return_spare(&self, local: Local) {
        if self.is_spare(local.slot()) {
            self.spares.lock().push(local);
        }
    }

    /// After a look of the monitor: as many spares as pumps are stuck, while there is work that
    /// nobody else takes.
    pub(super) fn adjust_spares(self: &Arc<Self>, stuck: usize) {
        // Ordering: Relaxed; see `is_superfluous`.
        self.stuck.store(stuck, Ordering::Relaxed);
        let running = self.spares_running();
        let core = self.core();
        if running < stuck && core.has_visible() && core.idle().sleeping() == 0 {
            self.start_spare();
        } else if running > stuck {
            // They see for themselves that they are not needed.
            (core.workers()..core.slots().len())
                .filter(|&slot| core.idle().is_sleeping(slot))
                .for_each(|slot| self.wake(slot));
        }
    }

    fn start_spare(self: &Arc<Self>) {
        // A host that ends would drop it at once, here.
        if self.drain.has_ended() {
            return;
        }
        let Some(handle) = self.handle.lock().clone() else {
            return;
        };
        let Some(local) = self.spares.lock().pop() else {
            return;
        };
        match self.count_pump() {
            true => self.start_pump(&handle, local),
            false => self.return_spare(local),
        }
    }

    /// Counts one pump more, unless the last has gone: after that there is none.
    fn count_pump(&self) -> bool {
        // Ordering: AcqRel; as in `pump_went`.
        let more = |pumps: usize| (pumps > 0).then_some(pumps + 1);
        self.pumps
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_ok()
    }

    /// The pump that polls here is about to block: another one drives its worker from now on.
    #[cfg(feature = "rt-multi-thread")]
    pub(in crate::exec) fn hand_over(self: &Arc<Self>, half: &super::context::Half) {
        let Some(handle) = self.host().filter(|_| self.count_pump()) else {
            return;
        };
        let local = half.borrow_mut().take();
        match local {
            Some(local) => {
                self.core().slot(&local).end_run();
                self.core().before_blocking(&local, &**self);
                self.start_pump(&handle, local);
            }
            None => self.pump_went(),
        }
    }
}
