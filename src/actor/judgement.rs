//! What becomes of an actor whose incarnation has ended, and what it does as it is told.
//!
//! # A restart in place
//!
//! The handler's future is dropped and its asker told, then the overseer is asked. If the actor
//! is to go on with another state, its own is dropped in place, what is the incarnation's is let
//! go, and the cell waits without one (see [`Stage`]): handles, the mailbox and its order, what
//! was taken out of it and not handled, names and monitors are the cell's, and stay. A new state is
//! written by the run-right holder, as all that happens to a state.
//!
//! Told to end is told for good: by [`Cause`], which is looked at before the overseer is asked, and
//! again when the actor goes on ([`CauseCell::forgive`](super::cause::CauseCell::forgive)): who
//! tells it meanwhile finds it ending.

use super::activation::{Left, beside, over, settle_notified};
use super::cause::{Cause, Signal, Told};
use super::cell::Head;
use super::exit::{Crash, During, ExitReason};
use super::life::{Exit, Life, Manner, Verdict};
use super::panics::Choice;
use super::running::{Running, Stage, Step};
use super::waits;
use crate::contain::contain;
use crate::task::Unit;
use crate::trace;

/// What a marked actor does next, if not what it would do otherwise.
///
/// | stage | ends at | else |
/// | --- | --- | --- |
/// | `Over`, `Fallen` | once, of what it came to just before | |
/// | `Waiting` | any cause, but one with an overseer not a kill | a restart makes it `Vacant` |
/// | `Vacant` | a kill, or a halt of either kind | |
/// | those with an incarnation | a kill, or a halt at once | goes on as it was told |
#[cold]
pub(super) fn heed(running: Running) -> Option<Left> {
    let head = running.head();
    let is_cancelled = head.state().take_signal().is_cancelled();
    match running.with(|run| run.stage.clone()) {
        Stage::Over(reason) | Stage::Fallen(reason) => return Some(Left::Over(reason)),
        _ if is_cancelled => return Some(Left::Over(head.cancellation())),
        Stage::Waiting(last) => return heed_waiting(running, last),
        _ => {}
    }
    let told = head.cause.told();
    if told.cause().is_kill() {
        return Some(Left::Over(head.told_reason()));
    }
    let is_vacant = running.with(|run| matches!(run.stage, Stage::Vacant));
    let halts = told.is(Signal::HaltNow) || (is_vacant && told.is(Signal::Halt));
    if halts && told.cause() <= Cause::Finished {
        return Some(Left::Over(ExitReason::Restarted));
    }
    let goes_on = running.with(|run| match run.stage {
        Stage::Live | Stage::Paused => true,
        // Who does not come back handles what it has accepted.
        Stage::Halting => told.is_for_good(),
        _ => false,
    });
    if goes_on {
        running.go_on();
    }
    if told.cause() == Cause::None {
        reopen(head);
    }
    None
}

/// The same, of one that waits for its next incarnation; its last ended of `last`.
fn heed_waiting(running: Running, last: ExitReason) -> Option<Left> {
    let head = running.head();
    // What was told before a restart was meant for an incarnation that has ended, and was judged.
    let told = head.cause.take_signals();
    let is_overseen = head.life().is_some_and(|life| life.overseer().is_some());
    let mut cause = told.cause();
    // Nobody would start one that has no overseer, but who fills its vacancy.
    while is_overseen && matches!(cause, Cause::Linked | Cause::Killed) && head.cause.forgive(cause)
    {
        cause = head.cause.get();
    }
    // It begins first, and then does what it was told.
    let begins = told.is(Signal::Restart) && !is_overseen && !cause.is_kill();
    match cause {
        Cause::None => reopen(head),
        Cause::Doomed => return Some(Left::Over(last)),
        _ if begins => {}
        _ => return Some(Left::Over(head.told_reason())),
    }
    if told.is(Signal::Restart) {
        running.with(|run| run.stage = Stage::Vacant);
        // It may be halted before it begins.
        return told
            .is_halted()
            .then_some(Left::Over(ExitReason::Restarted));
    }
    None
}

/// Takes messages again, unless it was told to end meanwhile.
///
/// Who tells it sets the cause first, and closes the mailbox then: so that may come after the cause
/// was forgiven. What closes it brings a look, which finds no cause, and comes here again.
pub(super) fn reopen(head: &Head) {
    head.mailbox.reopen();
    if head.cause.get() != Cause::None {
        let _ = head.mailbox.close();
    }
}

impl Running {
    /// Whether messages are handled.
    pub(super) fn is_live(self) -> bool {
        self.with(|run| matches!(run.stage, Stage::Live))
    }

    /// The incarnation has started.
    pub(super) fn go_live(self) {
        let head = self.head();
        self.go_on();
        head.ending.set_started(true);
        if let Some(life) = head.life()
            && let Some(overseer) = life.overseer()
        {
            let incarnation = life.incarnation();
            head.quietly("an overseer", || {
                overseer.started(&head.identity(), incarnation);
            });
        }
    }

    /// Goes on after a panic. What it was told to do when the handler is done it does.
    fn resume_life(self) {
        if !self.with(|run| matches!(run.stage, Stage::Halting)) {
            self.go_on();
        }
    }

    /// To the stage in which messages are handled, or wait, as it was told.
    pub(super) fn go_on(self) {
        let told = self.head().cause.told();
        let ends = match told.cause() {
            Cause::None => told.is(Signal::Halt),
            // Else it handles what it has accepted first.
            Cause::Finished => told.is(Signal::Halt) && !self.head().mailbox.is_closed(),
            _ => false,
        };
        let stage = if ends {
            self.head().cause.clear(Signal::Halt);
            Stage::Halting
        } else if told.is_paused() {
            Stage::Paused
        } else {
            Stage::Live
        };
        self.with(|run| run.stage = stage);
    }
}

/// How an incarnation ended, if somebody has to judge it.
fn manner(told: Told, reason: &ExitReason) -> Option<Manner> {
    match (told.cause(), reason) {
        (_, ExitReason::RuntimeGone) => None,
        _ if told.is_for_good() => None,
        (_, ExitReason::Restarted) => Some(Manner::Halted),
        (Cause::Finished, ExitReason::Stopped) => Some(Manner::Finished),
        _ => Some(Manner::Failed),
    }
}

/// An incarnation has ended: has it judged, and sees to what comes of it. `settle` gives the run
/// right back.
///
/// Nothing in here unwinds: user code runs in fences.
pub(super) fn conclude(running: Running, reason: ExitReason, unit: Unit, settle: fn(Unit)) {
    let head = running.head();
    let is_mortal = head.life().is_none() && head.kind.panic.is_none();
    // Who waits has no incarnation that could be judged: its last was.
    if is_mortal || running.with(|run| matches!(run.stage, Stage::Waiting(_))) {
        return over(running, reason, unit);
    }
    match judge(running, &reason) {
        Ok(()) => {
            head.mailbox.attend();
            settle_notified(unit, settle);
        }
        Err(None) => over(running, reason, unit),
        Err(Some(told)) => over(running, told, unit),
    }
}

/// Whether it goes on, with its stage set. If not, why it ends, unless of `reason`.
#[cold]
fn judge(running: Running, reason: &ExitReason) -> Result<(), Option<ExitReason>> {
    let head = running.head();
    waits::end_all(running);
    contain(|| running.interrupt(reason));
    beside::put_back(running);
    head.quietly("the drop of a handler", || running.drop_task());
    let span = running.with(|run| run.message.take());
    contain(|| drop(span));
    head.set_handling(None);
    let choice = panic_hook(running, reason);
    if choice == Choice::Resume && can_resume(running, reason) {
        running.resume_life();
        return Ok(());
    }
    let life = head.life().ok_or(None)?;
    let told = head.cause.take_signals();
    if matches!(reason, ExitReason::Restarted) && told.is_for_good() {
        // There is no next incarnation.
        return Err(Some(head.told_reason()));
    }
    let manner = manner(told, reason).ok_or(None)?;
    match ask(running, life, reason, manner, choice) {
        Verdict::Restart if life.can_rebuild() => fold(running, Stage::Vacant),
        Verdict::Wait if life.can_rebuild() => fold(running, Stage::Waiting(reason.clone())),
        _ => return Err(None),
    }
    let waits = running.with(|run| matches!(run.stage, Stage::Waiting(_)));
    match head.cause.forgive(told.cause()) {
        true => reopen(head),
        // What it was told meanwhile brings the next look.
        false if waits => {}
        false => return Err(Some(head.told_reason())),
    }
    Ok(())
}

/// What the actor's own hook says, if a handler or the start hook panicked.
fn panic_hook(running: Running, reason: &ExitReason) -> Choice {
    let head = running.head();
    let mut choice = Choice::Stop;
    let ExitReason::Panicked(crash) = reason else {
        return choice;
    };
    let has_state = running.with(|run| run.stage.has_state());
    if crash.during() == During::Stop || !has_state {
        return choice;
    }
    let policy = head.life().and_then(|life| life.policy.as_ref());
    head.quietly("a panic hook", || match (policy, head.kind.panic) {
        (Some(policy), _) => choice = policy(crash),
        // SAFETY: the kind's own hook; the state is there, and the task was dropped.
        (None, Some(hook)) => choice = unsafe { hook(running, crash) },
        (None, None) => {}
    });
    // What it has polled.
    waits::end(running);
    choice
}

/// Whether the state can be kept: it is there, and a handler panicked.
fn can_resume(running: Running, reason: &ExitReason) -> bool {
    let of_handler = |crash: &Crash| matches!(crash.during(), During::Message(_));
    let has_state = running.with(|run| run.stage.has_state());
    has_state && matches!(reason, ExitReason::Panicked(crash) if of_handler(crash))
}

fn ask(
    running: Running,
    life: &Life,
    reason: &ExitReason,
    manner: Manner,
    choice: Choice,
) -> Verdict {
    let head = running.head();
    let identity = head.identity();
    let Some(overseer) = life.overseer() else {
        // Nobody but a handle halts who has no overseer. Who failed to start would fail for ever.
        let is_hooked = choice == Choice::Restart && can_resume(running, reason);
        return match manner == Manner::Halted || is_hooked {
            true => Verdict::Restart,
            false => Verdict::End,
        };
    };
    let exit = Exit {
        identity: &identity,
        reason,
        manner,
    };
    let mut verdict = Verdict::End;
    head.quietly("an overseer", || verdict = overseer.judge(&exit));
    verdict
}

/// Ends an incarnation, and keeps its actor.
fn fold(running: Running, next: Stage) {
    let head = running.head();
    head.ending.set_started(false);
    head.quietly("the drop of its state", || running.drop_state(next));
    head.end_incarnation();
    // What drops have polled, too.
    waits::end(running);
    // The next life knows of no stash: it gets what this one put aside first.
    let _ = head.unstash();
    head.set_waited(false);
}

/// Has the next state built.
pub(super) fn build(running: Running) -> Step {
    let head = running.head();
    let life = head.life();
    let Some((life, rebuild)) = life.and_then(|life| Some((life, life.rebuild()?))) else {
        unreachable!("who can't be built anew has a state")
    };
    life.begin_incarnation();
    if life.incarnation() > 1 {
        contain(|| trace::restarted(&head.identity(), life.incarnation()));
    }
    rebuild(running)
}

#[cfg(all(test, feature = "macros"))]
mod tests;
