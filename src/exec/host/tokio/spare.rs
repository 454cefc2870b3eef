//! Spare pumps: they stand in for pumps that are stuck in a poll, and go when not needed.

use std::sync::Arc;

use super::shared::Shared;
use crate::exec::core::{Host, Local};
use crate::sync::atomic::Ordering;

impl Shared {
    fn is_spare(&self, slot: usize) -> bool {
        slot >= self.core().workers()
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
        let Some(handle) = self.handle.lock().clone() else {
            return;
        };
        let Some(local) = self.spares.lock().pop() else {
            return;
        };
        // Ordering: AcqRel; as in `pump_ended`. After the last pump there is no further one.
        let counted = self
            .pumps
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |pumps| {
                (pumps > 0).then_some(pumps + 1)
            });
        match counted {
            Ok(_) => self.start_pump(&handle, local),
            Err(_) => self.return_spare(local),
        }
    }
}
