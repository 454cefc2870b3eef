//! The pump: a future that drives one worker, a bounded turn per poll.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::task::coop;

use super::context::{self, Half};
use super::pace::{Pace, Yield};
use super::place;
use super::shared::Shared;
use crate::contain::contain;
use crate::exec::core::{Local, Sleep};
use crate::exec::executor::Executor;
use crate::task::Unit;

/// Drives the worker of one slot for as long as its host polls it.
pub(super) struct Pump {
    executor: Executor,
    /// There until the drop, unless it is handed over.
    half: Half,
    pace: Pace,
    /// The waker has been left where it is found.
    registered: bool,
    /// It has ended of itself; otherwise its host drops it.
    over: bool,
}

/// How a turn went.
enum Turn {
    /// Everything has ended.
    Finished,
    /// There is nothing to do.
    Asleep,
    /// There is more to do.
    Over,
    /// Another pump drives the worker.
    HandedOver,
}

impl Pump {
    pub(super) fn new(shared: &Arc<Shared>, local: Local) -> Self {
        let options = shared.options();
        Self {
            pace: Pace::new(options.polls_per_turn, options.seed.is_none()),
            executor: Executor::from_shared(Arc::clone(shared)),
            half: RefCell::new(Some(local)),
            registered: false,
            over: false,
        }
    }
}

impl Future for Pump {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self {
            executor,
            half,
            pace,
            registered,
            over,
        } = self.get_mut();
        let shared = executor.shared();
        let Some(slot) = half.get_mut().as_ref().map(Local::slot) else {
            return Poll::Ready(());
        };
        if !*registered {
            // The waker of a spawned task never changes.
            shared.signal(slot).set(Some(cx.waker().clone()));
            *registered = true;
        }
        match context::enter(executor, half, || turn(shared, half, pace)) {
            Turn::Finished | Turn::HandedOver => {
                *over = true;
                return Poll::Ready(());
            }
            Turn::Asleep => pace.rest(),
            Turn::Over => yield_to_host(pace.end(), cx),
        }
        shared.express.set_crowded(pace.is_crowded());
        let stats = &shared.core().slots()[slot].stats;
        stats.busy_ns.add(pace.lasted_ns());
        Poll::Pending
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        let half = self.half.get_mut().take();
        self.executor.shared().pump_ended(half, !self.over);
    }
}

/// Has tokio poll this pump again, after others.
fn yield_to_host(how: Yield, cx: &mut Context<'_>) {
    match how {
        Yield::Queued => cx.waker().wake_by_ref(),
        // One poll leaves the waker with tokio's scheduler.
        Yield::Deferred => {
            let _ = pin!(tokio::task::yield_now()).poll(cx);
        }
    }
}

fn turn(shared: &Arc<Shared>, half: &Half, pace: &mut Pace) -> Turn {
    let core = shared.core();
    if let Some(local) = &*half.borrow() {
        core.rise(local);
        pace.begin(|| core.waiting_for(local));
        core.slot(local).stats.turns.add(1);
        shared.arm();
        if core.slots().len() > 1 {
            place::probe();
        }
    }
    loop {
        let unit = match &*half.borrow() {
            None => return Turn::HandedOver,
            Some(local) => match find(shared, local) {
                Ok(unit) => unit,
                Err(turn) => return turn,
            },
        };
        // Nothing is borrowed here: the unit may hand the half over.
        // A unit contains its own panics; should one get past it, the worker lives on.
        with_fresh_budget(|| contain(|| unit.run()));
        if let Some(local) = &*half.borrow() {
            core.slot(local).end_run();
            if pace.is_over() {
                // Until the next turn nobody may be kept from what the worker holds.
                core.flush_lifo(local);
                local.look_at_global();
                return if shared.is_superfluous(local) {
                    Turn::Finished
                } else {
                    Turn::Over
                };
            }
        }
    }
}

/// The next unit, whose run begins; or how the turn ends.
fn find(shared: &Arc<Shared>, local: &Local) -> Result<Unit, Turn> {
    let core = shared.core();
    loop {
        if let Some(unit) = core.next(local, &**shared) {
            let slot = core.slot(local);
            slot.stats.polls.add(1);
            slot.current.set(unit.header().id());
            slot.begin_run();
            return Ok(unit);
        } else if core.is_finished() || shared.is_superfluous(local) {
            return Err(Turn::Finished);
        } else if core.sleep(local) == Sleep::Asleep {
            return Err(Turn::Asleep);
        }
    }
}

/// Runs `f` with the budget that tokio gives to a task, and puts the pump's own back: a guard of
/// `poll_proceed` remembers the budget as it was and sets it again when it is dropped.
fn with_fresh_budget(f: impl FnOnce()) {
    let guard = coop::poll_proceed(&mut Context::from_waker(Waker::noop()));
    f();
    drop(guard);
}
