//! The monitor: one thread of the process that looks after pumps which are stuck in a poll.
//!
//! What a stuck pump holds is handed to where others find it, and a spare pump starts if no other
//! is idle. A poll that lasts beyond [`limits::POLL_MAX`] is reported, once. A pump that was woken
//! but is not polled is looked after as well: tokio may have it wait behind a long poll of a task
//! of its own, or have put all its workers but that one to sleep; then another pump is woken, and
//! tokio with it.
//!
//! The monitor looks every [`limits::MONITOR_TICK`] at the executors that have run something since
//! [`limits::MONITOR_QUIET_TICKS`] looks, and sleeps if there are none.

use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, Thread};
use std::time::Instant;

use super::shared::Shared;
use crate::contain::contain;
use crate::exec::slot::Epoch;
use crate::limits;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::trace;

static THREAD: OnceLock<Option<Thread>> = OnceLock::new();
/// Executors that the monitor does not look at yet.
static ARRIVALS: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

impl Shared {
    /// Has the monitor watch, unless it does. Called when a turn begins and when a pump is woken.
    #[inline]
    pub(super) fn arm(&self) {
        // Ordering: Relaxed; the swap decides. After a disarming that this load does not see yet
        // the monitor has looked once more: see `Watch::is_over`.
        if !self.armed.load(Ordering::Relaxed) {
            self.arm_now();
        }
    }

    #[cold]
    fn arm_now(&self) {
        // Ordering: AcqRel; pairs with the same in `Watch::is_over`.
        if self.armed.swap(true, Ordering::AcqRel) {
            return;
        }
        ARRIVALS.lock().push(Weak::clone(self.me()));
        if let Some(thread) = THREAD.get_or_init(start) {
            thread.unpark();
        }
    }
}

fn start() -> Option<Thread> {
    let monitor = thread::Builder::new()
        .name("greenroom-monitor".into())
        .spawn(run);
    // Without a thread there is no monitor, as if the option were off.
    monitor.ok().map(|handle| handle.thread().clone())
}

fn run() {
    let mut watches: Vec<Watch> = Vec::new();
    loop {
        watches.extend(ARRIVALS.lock().drain(..).map(Watch::new));
        if watches.is_empty() {
            // An arrival after the look above has left a token.
            thread::park();
            continue;
        }
        thread::sleep(limits::MONITOR_TICK);
        watches.retain_mut(|watch| !watch.is_over());
    }
}

/// One executor under watch.
struct Watch {
    shared: Weak<Shared>,
    /// Each slot's progress at the last look.
    sights: Vec<Option<Sight>>,
    /// Units that had gone by express at the last look.
    rides: usize,
    quiet: u32,
    /// Disarmed a tick ago.
    is_leaving: bool,
}

/// What the looks at one slot saw.
#[derive(Debug, Clone, Copy)]
struct Sight {
    epoch: Epoch,
    /// When this epoch was first seen.
    since: Instant,
    is_reported: bool,
}

/// What one look at all slots saw.
#[derive(Default)]
struct Seen {
    moved: bool,
    running: bool,
    stuck: usize,
}

impl Watch {
    fn new(shared: Weak<Shared>) -> Self {
        Self {
            shared,
            sights: Vec::new(),
            rides: 0,
            quiet: 0,
            is_leaving: false,
        }
    }

    /// Looks, acts, and says whether there is nothing to watch any more.
    fn is_over(&mut self) -> bool {
        let Some(shared) = self.shared.upgrade() else {
            return true;
        };
        if shared.is_gone() {
            return true;
        }
        let seen = self.look(&shared);
        shared.end_waits(&mut self.rides);
        let has_visible = shared.core().has_visible();
        let is_stalled = has_visible && !seen.moved;
        if is_stalled {
            shared.wake_another();
        }
        shared.adjust_spares(seen.stuck + usize::from(is_stalled));
        // A pump that has risen is in a turn, even if nothing of that can be seen yet.
        let all_sleep = shared.core().idle().sleeping() >= shared.workers_running();
        let is_idle = !has_visible && all_sleep && shared.express.is_empty();
        let is_quiet = is_idle && !seen.moved && !seen.running;
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        self.may_leave(&shared)
    }

    /// Disarms after enough quiet ticks, watches for one tick more, and says when to leave: a turn
    /// that saw `armed` just before may have begun a poll that sticks.
    fn may_leave(&mut self, shared: &Shared) -> bool {
        // Ordering: AcqRel; pairs with the swap in `arm_now`, in each of the three.
        if !self.is_leaving {
            self.is_leaving = self.quiet >= limits::MONITOR_QUIET_TICKS;
            if self.is_leaving {
                shared.armed.swap(false, Ordering::AcqRel);
            }
            return false;
        }
        if self.quiet == 0 && !shared.armed.swap(true, Ordering::AcqRel) {
            self.is_leaving = false;
            return false;
        }
        // Quiet still, or armed anew: then another watch has come.
        true
    }

    fn look(&mut self, shared: &Arc<Shared>) -> Seen {
        let core = shared.core();
        let now = Instant::now();
        let mut seen = Seen::default();
        self.sights.resize(core.slots().len(), None);
        for (index, (slot, sight)) in core.slots().iter().zip(&mut self.sights).enumerate() {
            let epoch = slot.epoch();
            seen.running |= epoch.is_running();
            let Some(sight) = sight.as_mut().filter(|sight| sight.epoch == epoch) else {
                seen.moved = true;
                *sight = Some(Sight::new(epoch, now));
                continue;
            };
            // Stuck in one poll, or kept away by the host with work in hand.
            if slot.has_work() {
                core.hand_over(index, &**shared);
                // The host may be dropping the pumps.
                shared.drain_elsewhere();
            }
            if epoch.is_running() {
                seen.stuck += 1;
                slot.current.set_since(epoch, sight.since);
                sight.report(shared, index, now);
            }
        }
        seen
    }
}

impl Sight {
    fn new(epoch: Epoch, now: Instant) -> Self {
        Self {
            epoch,
            since: now,
            is_reported: false,
        }
    }

    /// Reports the poll that is running if it has lasted for too long, once.
    fn report(&mut self, shared: &Shared, index: usize, now: Instant) {
        let lasted = now - self.since;
        if self.is_reported || lasted < limits::POLL_MAX {
            return;
        }
        self.is_reported = true;
        let slot = &shared.core().slots()[index];
        let Some((id, _)) = slot.running().filter(|_| !slot.current.blocks()) else {
            return;
        };
        // Subscribers are user code.
        contain(|| {
            if trace::reports_polls() {
                let unit = shared.core().owned().describe(id);
                let unit = unit.unwrap_or_else(|| format!("task or actor {id}"));
                trace::stuck(&unit, id.as_u64(), index, lasted);
            }
        });
    }
}
