//! The pump: a future that drives one worker, a bounded turn per poll.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::task::coop;

use super::context;
use super::pace::{Pace, Yield};
use super::place;
use super::shared::Shared;
use crate::contain::contain;
use crate::exec::core::{Local, Sleep};
use crate::exec::executor::Executor;

/// Drives the worker of one slot for as long as its host polls it.
pub(super) struct Pump {
    executor: Executor,
    /// There until the drop.
    local: Option<Local>,
    pace: Pace,
    /// The waker has been left where it is found.
    registered: bool,
}

/// How a turn went.
enum Turn {
    /// Everything has ended.
    Finished,
    /// There is nothing to do.
    Asleep,
    /// There is more to do.
    Over,
}

impl Pump {
    pub(super) fn new(shared: &Arc<Shared>, local: Local) -> Self {
        let options = shared.options();
        Self {
            pace: Pace::new(options.polls_per_turn, options.seed.is_none()),
            executor: Executor::from_shared(Arc::clone(shared)),
            local: Some(local),
            registered: false,
        }
    }
}

impl Future for Pump {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self {
            executor,
            local,
            pace,
            registered,
        } = self.get_mut();
        let shared = executor.shared();
        let Some(local) = local else {
            return Poll::Ready(());
        };
        if !*registered {
            // The waker of a spawned task never changes.
            shared.signal(local.slot()).set(Some(cx.waker().clone()));
            *registered = true;
        }
        match context::enter(executor, local, || turn(shared, local, pace)) {
            Turn::Finished => return Poll::Ready(()),
            Turn::Asleep => {}
            Turn::Over => yield_to_host(pace.end(), cx),
        }
        Poll::Pending
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        if let Some(local) = self.local.take() {
            self.executor.shared().pump_ended(local);
        }
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

fn turn(shared: &Arc<Shared>, local: &Local, pace: &mut Pace) -> Turn {
    let core = shared.core();
    let slot = core.slot(local);
    core.rise(local);
    pace.begin();
    slot.stats.turns.add(1);
    shared.arm();
    if core.slots().len() > 1 {
        place::probe();
    }
    loop {
        if let Some(unit) = core.next(local, &**shared) {
            slot.stats.polls.add(1);
            slot.begin_run();
            // A unit contains its own panics; should one get past it, the worker lives on.
            with_fresh_budget(|| contain(|| unit.run()));
            slot.end_run();
            if pace.is_over() {
                // Until the next turn nobody may be kept from what the worker holds.
                core.flush_lifo(local);
                local.look_at_global();
                return Turn::Over;
            }
        } else if core.is_finished() || shared.is_superfluous(local) {
            return Turn::Finished;
        } else if core.sleep(local) == Sleep::Asleep {
            return Turn::Asleep;
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
