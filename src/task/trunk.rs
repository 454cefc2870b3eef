//! What runner and join handle share of a task's cell, whatever its future is: the header and
//! the waker of whoever joins.
//!
//! # Protocol of joining
//!
//! Three flags of the state take part: COMPLETE (set once, by the runner), JOINED (set at birth,
//! cleared once, by the join handle), WAKER (see the table). Only the handle sets WAKER, and only
//! while COMPLETE is clear. The handle is one value used through `&mut`, the runner is one by U4,
//! so each row has at most two parties.
//!
//! | COMPLETE | JOINED | WAKER | field `waker` | the output |
//! | --- | --- | --- | --- | --- |
//! | - | yes | - | the handle's | does not exist |
//! | - | yes | yes | full; the handle may read | does not exist |
//! | - | - | - | empty, nobody's | does not exist |
//! | yes | yes | yes | full; both may read, the runner wakes | the handle's |
//! | yes | yes | - | the handle's | the handle's |
//! | yes | - | yes | full, the runner's | nobody's: read or being dropped by the handle |
//! | yes | - | - | nobody's, or of whoever made this row | the same, or the runner's |
//!
//! The steps. Runner: **Complete** (sets COMPLETE), **Wake** if Complete saw WAKER, **Retire**
//! (clears WAKER after Wake, drops the waker if JOINED was clear). Handle: **Offer** (writes the
//! field, then sets WAKER), **Withdraw** (clears WAKER), **Settle** (reads the output, then clears
//! JOINED, clears the field if WAKER was clear), **Leave** (clears JOINED, and WAKER unless
//! COMPLETE; drops the output if COMPLETE, and the field unless the runner has it).
//!
//! - **J1, no lost wake-up.** Offer and Complete are transitions of one word, hence ordered. Offer
//!   first: Complete sees WAKER and wakes. Complete first: Offer fails, and the handle reads the
//!   output instead of waiting. Withdraw fails in the same way, so a waker is replaced either
//!   before Complete, which then wakes the new one, or not at all.
//! - **J2, no torn waker.** The handle writes the field only when WAKER is clear, the runner reads
//!   only between a Complete that saw WAKER and Retire. WAKER can't be set after Complete; and
//!   before it nobody but the handle touches the field.
//! - **J3, the waker is dropped once.** After a Complete that saw WAKER, the later one of Retire
//!   and Settle-or-Leave sees the other's flag gone, and drops. Without it the handle does.
//! - **J4, the output is dropped once.** Complete sees JOINED: Settle or Leave comes later, sees
//!   COMPLETE, and the handle has it. Complete does not: Leave came first and did not see COMPLETE,
//!   so the handle leaves it to the runner.

use std::mem;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::Waker;

use super::priority::Priority;
use super::state::{Offer, Snapshot, State};
use super::unit::{Header, Schedule, Vtable};
use crate::contain::contain;
use crate::id::Id;
use crate::sync::UnsafeCell;

/// The start of every task's cell.
#[repr(C)]
pub(super) struct Trunk {
    header: Header,
    /// Whose it is says the table at the module's head.
    waker: UnsafeCell<Option<Waker>>,
    /// Stands for the stage behind the trunk in the model checker, which can't track a union.
    stage: UnsafeCell<()>,
}

/// Whether a join handle has to wait.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The runner will wake the waker.
    Parked,
    /// The task has ended.
    Over,
}

impl Trunk {
    /// A task that is about to be queued: one count is the queue's, one the join handle's.
    pub(super) fn new(
        vtable: &'static Vtable,
        scheduler: Arc<dyn Schedule>,
        id: Id,
        spawned_at: &'static Location<'static>,
        priority: Priority,
    ) -> Self {
        let state = State::scheduled_joined(2, priority == Priority::Background);
        Self {
            header: Header::new(state, vtable, scheduler, id, spawned_at),
            waker: UnsafeCell::new(None),
            stage: UnsafeCell::new(()),
        }
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Runs code that has the stage to itself.
    pub(super) fn with_stage<R>(&self, code: impl FnOnce() -> R) -> R {
        self.stage.with_mut(|_| code())
    }

    /// Leaves `waker` with the runner, unless the task has ended.
    ///
    /// # Safety
    ///
    /// - Called by the join handle, which has neither settled nor left.
    /// - `snapshot` is a reading of the state by the handle itself.
    pub(super) unsafe fn park(&self, snapshot: Snapshot, waker: &Waker) -> Wait {
        let state = &self.header.state;
        if snapshot.is_complete() {
            return Wait::Over;
        }
        // SAFETY: the caller's; the snapshot says that WAKER was set and COMPLETE was not.
        if snapshot.has_waker() && unsafe { self.holds(waker) } {
            return Wait::Parked;
        }
        // The user's clone may panic: it comes before the first transition, so nothing is torn.
        let mut other = Some(waker.clone());
        if snapshot.has_waker() && state.withdraw_waker() == Offer::Complete {
            return Wait::Over;
        }
        // SAFETY: JOINED and not WAKER: the field is the handle's.
        unsafe { self.swap(&mut other) };
        if state.offer_waker() == Offer::Complete {
            // SAFETY: WAKER could not be set, so the field stayed the handle's.
            unsafe { self.swap(&mut other) };
            return Wait::Over;
        }
        Wait::Parked
    }

    /// Whether the field holds a waker that does what `waker` does.
    ///
    /// # Safety
    ///
    /// - The caller may read the field.
    unsafe fn holds(&self, waker: &Waker) -> bool {
        // SAFETY: the caller may read, so that nobody writes.
        let holds = |field: *const Option<Waker>| match unsafe { &*field } {
            Some(old) => old.will_wake(waker),
            None => false,
        };
        self.waker.with(holds)
    }

    /// Exchanges the field's content.
    ///
    /// # Safety
    ///
    /// - The field is the caller's.
    unsafe fn swap(&self, other: &mut Option<Waker>) {
        // SAFETY: the field is the caller's.
        self.waker
            .with_mut(|field| mem::swap(unsafe { &mut *field }, other));
    }

    /// Empties the field and drops the user's waker.
    ///
    /// # Safety
    ///
    /// - The field is the caller's.
    pub(super) unsafe fn clear_waker(&self) {
        let mut waker = None;
        // SAFETY: the caller's.
        unsafe { self.swap(&mut waker) };
        contain(|| drop(waker));
    }

    /// Wake and Retire: the steps after a Complete that gave `snapshot`.
    ///
    /// # Safety
    ///
    /// - Called once, by the runner.
    pub(super) unsafe fn announce(&self, snapshot: Snapshot) {
        if !snapshot.has_waker() {
            return;
        }
        self.waker.with(|field| {
            // SAFETY: Complete saw WAKER, so the field is full and nobody writes it before Retire.
            if let Some(waker) = unsafe { &*field } {
                contain(|| waker.wake_by_ref());
            }
        });
        if self.header.state.retire_waker() {
            // SAFETY: JOINED was clear: the handle has gone and the field is the runner's (J3).
            unsafe { self.clear_waker() };
        }
    }
}

/// Says that a pointer to a cell is one to its trunk.
pub(super) fn trunk_of(header: NonNull<Header>) -> NonNull<Trunk> {
    const { assert!(mem::offset_of!(Trunk, header) == 0) };
    header.cast()
}
