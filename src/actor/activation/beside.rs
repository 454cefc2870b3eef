//! What an activation does while handlers are suspended that let others in.
//!
//! Messages whose handlers run beside others are handled as they come. Any other waits at the head
//! of the queue until all that are suspended are done, and so does one that finds no seat free.
//! Nothing overtakes a message that waits there: so it waits for no more than those.

use std::ptr::NonNull;

use super::{Left, Overflowed, handle};
use crate::actor::envelope::Entry;
use crate::actor::judgement::heed;
use crate::actor::running::{Held, Running, Step};
use crate::actor::undelivered::UndeliveredReason;
use crate::actor::waits;
use crate::mailbox::{Accepted, Next};
use crate::reply::WatchKey;

/// After the handlers that were suspended have gone on. `None`: there are none any more.
#[cold]
pub(super) fn resumed(running: Running, step: Step) -> Option<Left> {
    match step {
        Step::Done => None,
        Step::Suspended => Some(Left::Idle),
        Step::Beside => messages(running),
    }
}

/// After a handler has begun that is not done.
#[cold]
pub(super) fn go_on(running: Running, step: Step) -> Left {
    if step == Step::Suspended {
        // Its wake brings the next look.
        running.head().mailbox.attend();
        return Left::Idle;
    }
    running.seat();
    messages(running).unwrap_or(Left::More)
}

/// Handles messages beside those that are suspended. `None`: there are none of these any more.
pub(super) fn messages(running: Running) -> Option<Left> {
    for _ in 0..running.head().messages_per_activation {
        if running.head().state().load().is_marked()
            && let Some(left) = heed(running)
        {
            return Some(left);
        }
        if !running.is_live() {
            if !running.is_vacant() {
                return Some(Left::Idle);
            }
            put_back(running);
            running.dissolve();
            return None;
        }
        let held = running.held();
        let (slot, has_slot) = match held {
            Some(held) => held,
            None => match running.with(|run| running.head().mailbox.next(&mut run.batch)) {
                Next::Message(slot) => (slot, true),
                Next::Notice(slot) => (slot, false),
                Next::Closed | Next::Empty => return Some(Left::Idle),
            },
        };
        // SAFETY: E1: the slot came from this actor's mailbox.
        let entry = unsafe { Entry::of(slot) };
        let is_alone = running.is_vacant();
        // SAFETY: as above; the run right is held.
        let is_left = || unsafe { entry.asker(slot) }.is_some_and(|end| end.is_left());
        if !is_alone && !running.seats(entry) && !is_left() {
            if held.is_none() {
                hold(running, entry, slot, has_slot);
            }
            if !is_left() {
                return Some(Left::Idle);
            }
            // Just now: it is passed over.
            continue;
        }
        if held.is_some() {
            release(running, entry);
        }
        if is_alone {
            running.dissolve();
        }
        if has_slot {
            running.head().mailbox.release(&Overflowed(running.head()));
        }
        match handle(running, slot) {
            Step::Done => {}
            step @ Step::Suspended => return Some(go_on(running, step)),
            Step::Beside => running.seat(),
        }
        if is_alone && !running.is_beside() {
            return None;
        }
    }
    Some(Left::More)
}

/// Keeps a message back, and has the actor run when its asker leaves.
fn hold(running: Running, entry: &'static Entry, slot: NonNull<u8>, has_slot: bool) {
    let mut watch = WatchKey::default();
    // SAFETY: E1; the run right is held.
    let asker = unsafe { entry.asker(slot) };
    let (left, is_limited) = match asker {
        Some(end) => {
            end.watch(&mut watch, running.waker()).settle();
            (Some(end.left()), end.deadline().is_some())
        }
        None => (None, false),
    };
    // Wakes of those that it waits for bring the next look.
    running.head().mailbox.attend();
    running.hold(Held {
        slot,
        has_slot,
        watch,
    });
    // SAFETY: D1: `release` and `waits::end_all` come before the envelope is moved.
    unsafe { waits::gate(running, entry.message, left, is_limited) };
}

/// A message is kept back no longer.
fn release(running: Running, entry: &'static Entry) {
    waits::ungate(running);
    if let Some(held) = running.take_held() {
        // SAFETY: E1; the run right is held.
        if let Some(end) = unsafe { entry.asker(held.slot) } {
            end.unwatch(&held.watch).settle();
        }
    }
}

/// Puts the message that was kept back before all that is queued, where it holds no slot.
pub(in crate::actor) fn put_back(running: Running) {
    let Some((slot, has_slot)) = running.held() else {
        return;
    };
    // SAFETY: E1: the slot came from this actor's mailbox.
    let entry = unsafe { Entry::of(slot) };
    release(running, entry);
    // SAFETY: E1: the envelope is of the entry's type, for this actor, and fits its slots; where it
    // lay is not read again.
    let accepted = unsafe { running.head().mailbox.push_returned(entry.bytes(slot)) };
    debug_assert_eq!(accepted, Accepted::Attended, "`hold` promised to look");
    if has_slot {
        running.head().mailbox.release(&Overflowed(running.head()));
    }
}

/// Discards the message that was kept back, as the first of those that are not handled.
pub(super) fn discard(running: Running, held: Held, reason: &UndeliveredReason) {
    // SAFETY: E1; the slot is read by this call alone.
    unsafe { Entry::of(held.slot).discard(held.slot, running.head(), reason) };
    if held.has_slot {
        running.head().mailbox.release(&Overflowed(running.head()));
    }
}
