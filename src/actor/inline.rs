//! An ask that runs its handler on the asker's stack.
//!
//! An ask of an actor that has nothing to do need not wake anybody: the asker takes the run right,
//! as a worker would by taking the cell from a run queue, and handles the message itself.
//!
//! # Why it is in order
//!
//! - **I1**: the mailbox is quiet. So all that was accepted before, in the order of
//!   happens-before, was taken out: above all what this asker sent.
//! - **I2**: `try_begin` turns idle into running. So whoever took it out has ended its activation.
//! - **I3**: no handler is suspended, and the life has begun; or only such are suspended as run
//!   beside others, as this one does, and no message waits for them. Between I1 and I2 other
//!   activations may have come and gone: what they left decides, not what I1 saw.
//!
//! What others send meanwhile marks the running actor as any push does, and `settle` queues the
//! cell. A stop or a kill that happened before I2 has marked the word of state, so that I2 fails.
//!
//! # What becomes of the reply
//!
//! It goes to a place on the asker's stack, or to a reply slot that there is already, for the asker
//! has a limit. If the handler suspends, the way back is led to a reply
//! slot before the run right is given back (E3), and the mailbox is made attended: the handler's
//! own wake brings the next look at it, so pushes need not.

use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use tokio::task::coop;

use super::activation::{in_span, live, settle, settle_lent};
use super::cell::Head;
use super::envelope::{Entry, OutcomeOf, WayBack, handle};
use super::gauge::{Gauge, Verdict};
use super::idle;
use super::judgement::conclude;
use super::landing::{Landing, pass_on_later};
use super::nesting::Level;
use super::running::{Running, Step};
use super::sending::Sending;
use super::strong::Strong;
use super::traits::{Handler, Inline};
use crate::contain::contain;
use crate::limits::INLINE_BYTES;
use crate::reply::{self, Answer, Receiver, ReplyEnd};
use crate::task::{Lend, Unit};

/// What came of it.
pub(super) enum Ran<A: Handler<M>, M: Send + 'static> {
    /// The message is where it was.
    No,
    Answered(OutcomeOf<A, M>),
    /// The handler is at an await. The reply comes to a slot, that of the ask or a new one.
    Suspended(Option<Receiver>),
}

/// Where the reply goes.
enum Way {
    /// To a place on the caller's stack.
    Here,
    Slot(ReplyEnd),
    #[cfg(feature = "remote")]
    Nowhere,
}

impl Way {
    #[inline(always)]
    fn back(self, here: NonNull<()>) -> WayBack {
        match self {
            Self::Here => WayBack::Here(here),
            Self::Slot(end) => WayBack::Slot(end),
            #[cfg(feature = "remote")]
            Self::Nowhere => WayBack::None,
        }
    }
}

/// Handles the message here and now, if it was not sent yet and nothing speaks against it.
///
/// An ask with a limit has its `way_back` already, which is asked for if the handler runs; then the
/// reply goes there.
#[inline(always)]
pub(super) fn ask<A: Handler<M>, M: Send + 'static>(
    target: &Strong,
    sending: Pin<&mut Sending<M>>,
    way_back: impl FnOnce() -> Option<ReplyEnd>,
) -> Ran<A, M> {
    attempt(target, sending, || way_back().map_or(Way::Here, Way::Slot))
}

/// The same for a message that is told. Says whether it was handled, or is being.
#[cfg(feature = "remote")]
pub(super) fn tell<A: Handler<M>, M: Send + 'static>(
    target: &Strong,
    sending: Pin<&mut Sending<M>>,
) -> bool {
    !A::STREAMS && !matches!(attempt::<A, M>(target, sending, || Way::Nowhere), Ran::No)
}

#[inline(always)]
fn attempt<A: Handler<M>, M: Send + 'static>(
    target: &Strong,
    sending: Pin<&mut Sending<M>>,
    way: impl FnOnce() -> Way,
) -> Ran<A, M> {
    let policy = const { policy::<A, M>() };
    // I1
    if policy == Inline::Never
        || std::thread::panicking()
        || !(target.head().mailbox.is_quiet() || idle::touch(target.head()))
        || !sending.is_unsent()
    {
        return Ran::No;
    }
    let Some(level) = Level::enter() else {
        return Ran::No;
    };
    let entry = Entry::bare::<A, M>();
    let Some(timed) = permit(target.head(), entry, policy, level.tick) else {
        return Ran::No;
    };
    // One unit of the budget is this ask's; what the handler spends is the asker's too. Where there
    // is none the message is queued, and who handles it wakes the asker.
    let Poll::Ready(budget) = coop::poll_proceed(&mut Context::from_waker(Waker::noop())) else {
        return Ran::No;
    };
    // I2
    if !target.head().state().try_begin() {
        return Ran::No;
    }
    // SAFETY: `try_begin` gave the run right and a count, which `unit` keeps to the end.
    let (unit, running) = unsafe {
        let unit = Unit::from_raw(target.raw().cast());
        (unit, Running::new(target.raw()))
    };
    // I3
    let ready = running.is_ready() || (A::REENTRANT && running.is_live() && running.has_seat());
    let ready = ready.then(|| sending.bypass()).flatten();
    let Some(message) = ready else {
        settle_lent(unit);
        return Ran::No;
    };
    budget.made_progress();
    // SAFETY: the actor takes `M`, so it is an `A`; I3.
    unsafe { run::<A, M>(running, unit, entry, message, way(), timed) }
}

/// What was chosen for asks of an `A` with an `M`.
const fn policy<A: Handler<M>, M: Send + 'static>() -> Inline {
    if size_of::<M>() + size_of::<OutcomeOf<A, M>>() > INLINE_BYTES {
        return Inline::Never;
    }
    match A::INLINE {
        Inline::Auto => A::OPTIONS.inline,
        chosen => chosen,
    }
}

/// Whether the handler may run here; if so, whether its time is to be told.
#[inline]
fn permit(head: &Head, entry: &'static Entry, policy: Inline, tick: u32) -> Option<bool> {
    match (head.header().scheduler().lend(), policy) {
        (Lend::Refused, _) => None,
        (Lend::Drawn, _) | (Lend::Granted, Inline::Always) => Some(false),
        (Lend::Granted, _) => match Gauge::of(entry).verdict(tick) {
            Verdict::Refused => None,
            Verdict::Granted => Some(false),
            Verdict::Timed => Some(true),
        },
    }
}

/// # Safety
///
/// - The actor is an `A`, `running` is backed by the count in `unit`, I3 holds, and the entry is
///   that of `M` to `A`.
unsafe fn run<A: Handler<M>, M: Send + 'static>(
    running: Running,
    unit: Unit,
    entry: &'static Entry,
    message: M,
    way: Way,
    timed: bool,
) -> Ran<A, M> {
    let _entered = unit.enter();
    let began = timed.then(Instant::now);
    let mut place = Landing::<A, M>::Nothing;
    // E3: nothing below unwinds, and each arm sees to the way back.
    let is_here = matches!(way, Way::Here);
    running.begin(entry, way.back(NonNull::from(&mut place).cast()));
    let step = live(running, || {
        // SAFETY: the caller.
        in_span(running, entry, || unsafe {
            handle::<A, M>(running, message)
        })
    });
    if let Some(began) = began {
        Gauge::of(entry).note(began.elapsed());
    }
    match step {
        // The reply has gone to its place.
        Ok(Step::Done) => {
            if let Landing::Late(late) = place {
                let receiver = pass_on_later::<A, M>(running, late);
                settle_lent(unit);
                return Ran::Suspended(Some(receiver));
            }
            settle_lent(unit);
        }
        // The reply has gone ahead.
        Ok(Step::Suspended) if A::STREAMS && is_here => {
            running.head().mailbox.attend();
            settle(unit);
        }
        Ok(Step::Suspended | Step::Beside) => {
            let receiver = is_here.then(|| {
                let (end, receiver) = reply::channel::<OutcomeOf<A, M>>();
                running.redirect(WayBack::Slot(end));
                receiver
            });
            match A::REENTRANT {
                true => running.seat(),
                false => running.head().mailbox.attend(),
            }
            settle(unit);
            return Ran::Suspended(receiver);
        }
        // It interrupts the message, if that has no reply yet.
        Err(reason) => {
            if let Landing::Late(_) = place {
                // While the count keeps what the thread runs.
                let late = std::mem::replace(&mut place, Landing::Nothing);
                contain(|| drop(late));
            }
            conclude(running, reason, unit, settle_lent);
        }
    }
    Ran::Answered(match place {
        Landing::Answered(outcome) => outcome,
        Landing::Nothing | Landing::Late(_) => OutcomeOf::<A, M>::orphaned(),
    })
}
