//! What a stub does with its messages: they go, one at a time, to who answers them by hand.

use super::Left;
use crate::actor::cause::Cause;
use crate::actor::envelope::Entry;
use crate::actor::judgement;
use crate::actor::policy::Overflowed;
use crate::actor::running::Running;
use crate::actor::stub::Outlet;
use crate::mailbox::Next;

/// Passes messages on as they are wanted, and ends the stub when all have been that were accepted.
pub(super) fn serve(running: Running, outlet: &Outlet) -> Left {
    let head = running.head();
    if !head.ending.has_started() {
        head.ending.set_started(true);
    }
    loop {
        let is_ending = head.cause.get() != Cause::None;
        if !outlet.wants(is_ending) {
            // Who wants the next, or its end, notifies or signals.
            head.mailbox.attend();
            return Left::Idle;
        }
        let slot = match running.with(|run| head.mailbox.next(&mut run.batch)) {
            Next::Message(slot) => {
                head.mailbox.release(&Overflowed(head));
                slot
            }
            Next::Notice(slot) => slot,
            Next::Empty => return Left::Idle,
            Next::Closed if head.cause.get() == Cause::None => {
                judgement::reopen(head);
                continue;
            }
            Next::Closed => return Left::Over(head.told_reason()),
        };
        // SAFETY: E1: the slot came from this actor's mailbox, and is read by this call alone.
        if let Some(message) = unsafe { Entry::of(slot).lift(slot, head) } {
            outlet.put(message);
        }
    }
}
