//! One activation of an actor: what a worker does with a cell that it took from a run queue.

pub(super) mod beside;
#[cfg(feature = "test-util")]
mod by_hand;

use std::ptr::NonNull;
use std::sync::Arc;

use super::cause::Cause;
use super::cell::Head;
use super::envelope::Entry;
use super::exit::{Crash, ExitReason};
use super::judgement::{self, conclude, heed};
use super::life::{Life, Overseer};
use super::nesting;
use super::policy::Overflowed;
use super::running::{Running, Stage, Step};
use super::undelivered::UndeliveredReason;
use super::waits;
use crate::contain::{Payload, catch, contain, discard};
use crate::mailbox::Next;
use crate::task::{End, Header, Notify, Schedule, Unit};
use crate::trace;

/// How an activation leaves the actor.
pub(super) enum Left {
    /// Nothing to do until it is notified: no message, or a handler at an await.
    Idle,
    /// There is more to do, but others have waited long enough.
    More,
    /// It, or its incarnation, has ended.
    Over(ExitReason),
}

/// Runs one activation. Panics of user code end the actor, never the caller.
///
/// # Safety
///
/// - As [`Vtable::run`](crate::task::Vtable::run), of a cell.
pub(super) unsafe fn run(header: NonNull<Header>) {
    // SAFETY: the caller gives its count.
    let unit = unsafe { Unit::from_raw(header) };
    let begun = unit.header().state.begin();
    // SAFETY: `begin` gave the run right, `unit` is the count, and both are kept to the end.
    let running = unsafe { Running::new(header.cast::<Head>()) };
    let told = begun.is_marked().then(|| heed(running)).flatten();
    let left = match told {
        Some(left) => left,
        None => live(running, || work(running)).unwrap_or_else(Left::Over),
    };
    match left {
        Left::Over(reason) => conclude(running, reason, unit, settle),
        Left::Idle => settle(unit),
        Left::More => settle_notified(unit, settle),
    }
}

/// Has the cell run again: it gives the run right back by `settle`.
#[inline]
pub(super) fn settle_notified(unit: Unit, settle: impl FnOnce(Unit)) {
    // RUNNING stands, so this only marks it, and `settle` finds the mark.
    let Notify::Nothing = unit.header().state.notify() else {
        unreachable!("a running unit is not scheduled twice")
    };
    settle(unit);
}

/// Runs `f` inside the actor's span. A panic is what the actor ends of.
#[inline]
pub(super) fn live<T>(running: Running, f: impl FnOnce() -> T) -> Result<T, ExitReason> {
    let worked = if running.with(|run| run.life.is_some()) {
        let life = running.with(|run| run.life.take());
        let worked = catch(|| life.within(f));
        running.with(|run| run.life = life);
        worked
    } else {
        catch(f)
    };
    worked.map_err(|payload| crashed(running, payload))
}

/// Gives the run right back, and queues the cell again if it was notified meanwhile.
#[inline]
pub(super) fn settle(unit: Unit) {
    give_back(unit, |scheduler, unit| scheduler.schedule_yielded(unit));
}

/// As [`settle`], in the middle of what the thread runs besides.
#[inline]
pub(super) fn settle_lent(unit: Unit) {
    give_back(unit, |scheduler, unit| scheduler.schedule_lent(unit));
}

#[inline]
fn give_back(unit: Unit, again: impl FnOnce(&dyn Schedule, Unit)) {
    let header = unit.into_raw();
    // SAFETY: the count keeps the cell until `end` gives it up.
    match unsafe { header.as_ref() }.state.end() {
        End::Idle => {}
        // SAFETY: that was the last count.
        End::Last => unsafe { Unit::dispose(header) },
        End::Again => {
            // SAFETY: the count was kept.
            let unit = unsafe { Unit::from_raw(header) };
            // Another thread may run and free the cell before `schedule_yielded` returns.
            let scheduler = std::sync::Arc::clone(unit.header().scheduler());
            again(&*scheduler, unit);
        }
    }
}

fn work(running: Running) -> Left {
    let step = resume(running);
    if step != Step::Done
        && let Some(left) = beside::resumed(running, step)
    {
        return left;
    }
    loop {
        let step = match running.with(|run| run.stage.clone()) {
            Stage::New => begin_life(running),
            Stage::Live => match messages(running) {
                Flow::Closed => close_life(running),
                Flow::Heeded => Step::Done,
                Flow::Left(left) => return left,
            },
            Stage::Over(reason) | Stage::Fallen(reason) => return Left::Over(reason),
            Stage::Paused | Stage::Waiting(_) => {
                // A signal brings the next look.
                running.head().mailbox.attend();
                return Left::Idle;
            }
            Stage::Halting => end_life(running, halted(running)),
            Stage::Vacant => judgement::build(running),
            #[cfg(feature = "test-util")]
            Stage::Stub(outlet) => return by_hand::serve(running, &outlet),
            Stage::Starting | Stage::Stopping(_) | Stage::Building => {
                unreachable!("a hook has ended, or is the task")
            }
        };
        if step == Step::Suspended {
            return Left::Idle;
        }
    }
}

/// How the handling of messages is left off.
enum Flow {
    Left(Left),
    /// All that was accepted is handled, and no more will come.
    Closed,
    /// It was told something, perhaps to do something else.
    Heeded,
}

/// Handles messages: all of them, if no more will come, or as many as it may now.
fn messages(running: Running) -> Flow {
    let head = running.head();
    let mailbox = &head.mailbox;
    for nth in 0..head.messages_per_activation {
        let mut state = head.state().load();
        if state.is_scheduled() {
            // Of messages, which the next look finds, or of a mark; no handler is suspended.
            state = head.state().acknowledge();
        }
        if state.is_marked() {
            return heed(running).map_or(Flow::Heeded, Flow::Left);
        }
        let next = running.with(|run| match nth {
            0 => mailbox.first(&mut run.batch),
            _ => mailbox.next(&mut run.batch),
        });
        let slot = match next {
            Next::Message(slot) => {
                mailbox.release(&Overflowed(head));
                slot
            }
            Next::Notice(slot) => slot,
            Next::Closed => return Flow::Closed,
            Next::Empty => return Flow::Left(Left::Idle),
        };
        let step = handle(running, slot);
        if step != Step::Done {
            return Flow::Left(beside::go_on(running, step));
        }
    }
    Flow::Left(Left::More)
}

/// Begins to handle the message in a slot that `next` gave.
#[inline(always)] // though it has two callers: one of them is cold
fn handle(running: Running, slot: NonNull<u8>) -> Step {
    // SAFETY: E1: the slot came from this actor's mailbox.
    let entry = unsafe { Entry::of(slot) };
    running.head().set_handling(Some(entry));
    // SAFETY: as above; the slot is read by this call alone, and no task exists.
    let step = in_span(running, entry, || unsafe { entry.start(running, slot) });
    if step == Step::Done {
        running.head().set_handling(None);
    }
    step
}

/// Runs the begin of a handler inside its message's span.
#[inline]
pub(super) fn in_span(running: Running, entry: &'static Entry, f: impl FnOnce() -> Step) -> Step {
    let message = trace::message_span(entry.message);
    let step = message.within(f);
    if step != Step::Done {
        running.head().set_handling(Some(entry));
        if message.is_some() {
            running.with(|run| run.message = message);
        }
    }
    step
}

/// Goes on with the handler or hook that is at an await, if one is.
fn resume(running: Running) -> Step {
    let message = running.with(|run| run.message.take());
    let _barred = running.deadline().map(|_| nesting::bar());
    let step = message.within(|| running.resume());
    match step {
        Step::Suspended => running.with(|run| run.message = message),
        Step::Done => running.head().set_handling(None),
        // Each has its own.
        Step::Beside => {}
    }
    step
}

fn begin_life(running: Running) -> Step {
    match running.head().kind.start {
        None => {
            // Nobody waits for the start of an actor that has no hook and is built by nobody.
            match running.head().life() {
                None => running.go_on(),
                Some(_) => running.go_live(),
            }
            Step::Done
        }
        Some(start) => {
            running.with(|run| run.stage = Stage::Starting);
            // SAFETY: the kind's own hook; no task exists before the first.
            unsafe { start(running) }
        }
    }
}

/// Nothing is queued, and nothing is accepted any more.
fn close_life(running: Running) -> Step {
    let head = running.head();
    if head.cause.get() == Cause::None {
        judgement::reopen(head);
        return Step::Done;
    }
    end_life(running, head.told_reason())
}

/// Why an incarnation ends whose mailbox stays open: it was halted, unless it stopped by itself.
fn halted(running: Running) -> ExitReason {
    match running.head().cause.get() {
        Cause::Finished => ExitReason::Stopped,
        _ => ExitReason::Restarted,
    }
}

/// The last message was handled.
fn end_life(running: Running, reason: ExitReason) -> Step {
    if running.head().cause.get().is_kill() {
        running.with(|run| run.stage = Stage::Over(reason));
        return Step::Done;
    }
    match running.head().kind.stop {
        None => {
            running.with(|run| run.stage = Stage::Over(reason));
            Step::Done
        }
        Some(stop) => {
            running.with(|run| run.stage = Stage::Stopping(reason.clone()));
            // SAFETY: the kind's own hook; the last handler's task is gone.
            unsafe { stop(running, reason) }
        }
    }
}

/// What a panic makes of the actor.
fn crashed(running: Running, payload: Payload) -> ExitReason {
    let crash = Crash::new(running.during(), &payload);
    discard(payload);
    contain(|| trace::crashed(&running.head().identity(), &crash));
    running.head().abort_if_told();
    ExitReason::Panicked(crash)
}

/// Ends the actor: everything of it goes, in the order that `ExitReason` documents.
///
/// Nothing in here unwinds: user code runs in fences.
pub(super) fn over(running: Running, reason: ExitReason, unit: Unit) {
    let head = running.head();
    waits::end_all(running);
    head.ending.decide(reason.clone());
    let _ = head.mailbox.close();
    contain(|| running.interrupt(&reason));
    let held = running.take_held();
    head.quietly("the drop of a handler", || running.drop_task());
    let fallen = Stage::Fallen(reason.clone());
    head.quietly("the drop of its state", || {
        running.leave_state(fallen, &reason);
    });
    head.end_incarnation();
    let _ = head.unstash();
    let reason = UndeliveredReason::Ended(reason);
    if let Some(held) = held {
        beside::discard(running, held, &reason);
    }
    discard_rest(running, &reason);
    let spans = running.with(|run| (run.message.take(), run.life.take()));
    contain(|| drop(spans));
    let overseer = head.life().and_then(Life::end);
    let context = running.take_context();
    // What drops have polled, too.
    waits::end_all(running);
    head.ending.bid_farewell(
        || head.identity(),
        |reason| {
            if let Some(overseer) = overseer {
                tell_end(head, overseer, reason);
            }
        },
    );
    let completed = unit.header().state.complete();
    debug_assert!(completed.is_complete());
    let listed = head.header().scheduler().unbind(head.header());
    head.ending.announce();
    // It may be another actor's, if a handler has swapped the two.
    drop(context);
    unit.release_with(listed);
}

/// Its overseer is told before all who watch it, and let go.
fn tell_end(head: &Head, overseer: Arc<dyn Overseer>, reason: &ExitReason) {
    head.quietly("an overseer", || overseer.gone(reason));
    contain(|| drop(overseer));
}

/// Discards every message that was accepted and not handled, telling askers.
fn discard_rest(running: Running, reason: &UndeliveredReason) {
    let mut messages = 0;
    let discard = |slot| {
        // SAFETY: E1; the slot is read by this call alone.
        unsafe { Entry::of(slot).discard(slot, running.head(), reason) };
    };
    loop {
        let next = running.with(|run| running.head().mailbox.next(&mut run.batch));
        match next {
            Next::Message(slot) => {
                discard(slot);
                messages += 1;
                running.head().mailbox.release(&Overflowed(running.head()));
            }
            Next::Notice(slot) => discard(slot),
            Next::Closed | Next::Empty => break,
        }
    }
    if messages > 0 {
        running.head().ending.note_unhandled(messages);
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests;
