//! Slots of a mailbox that are held without a message, and the wait for them.
//!
//! # Invariants
//!
//! - **V1.** While `waiting` is there, the waiter stands (or stood, until it was granted or
//!   refused) in the mailbox of the cell that its unit is a count of. Pinning keeps it in place,
//!   and `Drop` withdraws. The count is the value's own: a value that is leaked may outlive its
//!   handle, and others look at its wait (D1).
//! - **V2.** `Slots` holds so many slots of its target's mailbox as it counts, and `Drop` gives
//!   them back.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::task::coop;

use super::envelope::Parcel;
use super::error::{Refusal, TellError};
use super::local::{Target, refusal};
use super::policy::Overflowed;
use super::sending::{leave, note};
use super::waits::{Errand, Wait, Watch};
use crate::edges;
use crate::mailbox::{self, Refused, Waiter};
use crate::task::Unit;

/// Held slots. Dropping it gives them back.
pub(super) struct Slots<'h> {
    target: Cow<'h, Target>,
    /// V2.
    count: usize,
}

impl<'h> Slots<'h> {
    /// Holds so many, if they are free now.
    pub(super) fn try_reserve(target: &'h Target, count: usize) -> Result<Self, Refusal> {
        if count > 0 {
            let head = target.0.head();
            // SAFETY: nothing waits.
            let (held, accepted) = unsafe { head.mailbox.reserve(count, None, &Overflowed(head)) };
            note(accepted, &target.0);
            match held {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(refused)) => return Err(no_slots(target, count, refused)),
                Poll::Pending => unreachable!("nothing waits"),
            }
        }
        let target = Cow::Borrowed(target);
        Ok(Self { target, count })
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn into_owned(mut self) -> Slots<'static> {
        let target = Cow::Owned(self.target().clone());
        let count = std::mem::take(&mut self.count);
        Slots { target, count }
    }

    /// One of them, as long as there are any.
    pub(super) fn take_one(&mut self) -> Option<Self> {
        self.count = self.count.checked_sub(1)?;
        let target = self.target.clone();
        Some(Self { target, count: 1 })
    }

    /// Moves a message that was sealed for the target's actor into one of them. An error hands it
    /// back; the slot is still held.
    pub(super) fn fill<M: Send + 'static>(
        &mut self,
        parcel: Parcel<M>,
    ) -> Result<(), TellError<M>> {
        self.fill_with(parcel).map_err(|(refusal, parcel)| {
            let message = parcel.open().expect("it was sealed");
            TellError::new(self.target.0.head().identity(), refusal, message)
        })
    }

    /// As [`Slots::fill`], and an error hands back what was sealed.
    pub(super) fn fill_with<M: Send + 'static>(
        &mut self,
        mut parcel: Parcel<M>,
    ) -> Result<(), (Refusal, Parcel<M>)> {
        debug_assert!(self.count > 0);
        let head = self.target.0.head();
        let mail = parcel.mail().expect("it was sealed");
        // SAFETY: sealed for the target (E1); V2.
        match unsafe { head.mailbox.fill(&mail, &Overflowed(head)) } {
            Ok(accepted) => {
                self.count -= 1;
                parcel.forget();
                note(accepted, &self.target.0);
                Ok(())
            }
            Err(refused) => Err((refusal(&self.target.0, refused), parcel)),
        }
    }
}

impl Drop for Slots<'_> {
    fn drop(&mut self) {
        if self.count > 0 {
            let head = self.target.0.head();
            let accepted = head.mailbox.give_back(self.count, &Overflowed(head));
            note(accepted, &self.target.0);
        }
    }
}

/// Why so many slots were refused.
fn no_slots(target: &Target, count: usize, refused: Refused) -> Refusal {
    if refused == Refused::Full && count > target.0.head().mailbox.capacity() {
        return Refusal::TooMany;
    }
    refusal(&target.0, refused)
}

/// Slots on their way to who wants to hold them.
pub(super) struct Reserving<'h> {
    target: Cow<'h, Target>,
    count: usize,
    watch: Watch,
    is_done: bool,
    waiting: Option<Waiting>,
    waiter: Waiter,
}

struct Waiting {
    /// What others see of it.
    wait: Wait,
    /// V1.
    unit: Unit,
}

impl<'h> Reserving<'h> {
    pub(super) fn new(target: &'h Target, count: usize) -> Self {
        Self::of(Cow::Borrowed(target), count, Watch::Fail)
    }

    fn of(target: Cow<'h, Target>, count: usize, watch: Watch) -> Self {
        Self {
            target,
            count,
            watch,
            is_done: false,
            waiting: None,
            waiter: Waiter::new(),
        }
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch.relax(watch);
    }

    /// One that owns its handle. It was not polled.
    pub(super) fn into_owned(self) -> Reserving<'static> {
        let target = Cow::Owned(self.target().clone());
        Reserving::of(target, self.count, self.watch)
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn poll(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Slots<'h>, Refusal>> {
        // SAFETY: the waiter alone is pinned by place; nothing moves it.
        let this = unsafe { self.get_unchecked_mut() };
        assert!(!this.is_done, "a reservation is polled after it is done");
        let budget = ready!(coop::poll_proceed(cx));
        let held = match &this.waiting {
            _ if this.count == 0 => Ok(()),
            None => match this.begin(cx.waker()) {
                Poll::Ready(held) => held,
                Poll::Pending => return this.poll_wait(cx),
            },
            Some(_) => {
                // SAFETY: the value is pinned.
                let waiter = unsafe { Pin::new_unchecked(&this.waiter) };
                let mailbox = &this.target.0.head().mailbox;
                match mailbox.poll_waiter(waiter, cx.waker()) {
                    Poll::Ready(held) => held,
                    Poll::Pending => return this.poll_wait(cx),
                }
            }
        };
        budget.made_progress();
        this.is_done = true;
        this.waiting = None;
        Poll::Ready(match held {
            Ok(()) => Ok(this.held()),
            Err(refused) => Err(no_slots(&this.target, this.count, refused)),
        })
    }

    /// What was granted.
    fn held(&self) -> Slots<'h> {
        Slots {
            target: self.target.clone(),
            count: self.count,
        }
    }

    fn begin(&mut self, waker: &Waker) -> Poll<Result<(), Refused>> {
        let target = &self.target.0;
        let wait = mailbox::Wait {
            // SAFETY: the value is pinned: `poll` is the only caller.
            waiter: unsafe { Pin::new_unchecked(&self.waiter) },
            waker,
        };
        let overflowed = Overflowed(target.head());
        // SAFETY: the waiter is fresh, for `poll` comes here once; V1.
        let (held, accepted) = unsafe {
            let mailbox = &target.head().mailbox;
            mailbox.reserve(self.count, Some(wait), &overflowed)
        };
        if held.is_pending() {
            let unit = (*target.unit()).clone();
            let wait = Wait::none();
            self.waiting = Some(Waiting { wait, unit });
        }
        // Others may have been let in.
        note(accepted, target);
        held
    }

    /// It waits, unless that closes a circle.
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<Result<Slots<'h>, Refusal>> {
        let Some(waiting) = &mut self.waiting else {
            return Poll::Pending;
        };
        let head = self.target.0.head();
        let errand = Errand {
            target: head,
            message: || "a reserved slot",
        };
        let probe = edges::Probe::Line(mailbox::Probe::new(&head.mailbox, &self.waiter));
        // SAFETY: D1: `withdraw` and `poll` end the wait before the waiter goes; V1.
        let circle = unsafe { waiting.wait.pending(self.watch, errand, probe, cx.waker()) };
        match circle {
            None => Poll::Pending,
            Some(deadlock) => Poll::Ready(self.give_up(Refusal::Deadlock(deadlock))),
        }
    }

    pub(super) fn expire(self: Pin<&mut Self>, limit: Duration) -> Result<Slots<'h>, Refusal> {
        // SAFETY: as in `poll`.
        unsafe { self.get_unchecked_mut() }.give_up(Refusal::Timeout(limit))
    }

    /// Gives up, unless the slots were granted just now.
    fn give_up(&mut self, refusal: Refusal) -> Result<Slots<'h>, Refusal> {
        self.is_done = true;
        if self.withdraw() {
            Ok(self.held())
        } else {
            Err(refusal)
        }
    }

    /// Leaves the line. Says whether the slots were granted, and are held now.
    fn withdraw(&mut self) -> bool {
        let Some(Waiting { mut wait, unit }) = self.waiting.take() else {
            return false;
        };
        wait.end();
        // SAFETY: V1; the field is pinned, for it waits.
        unsafe { leave(&unit, Pin::new_unchecked(&self.waiter)) }
    }
}

impl Drop for Reserving<'_> {
    fn drop(&mut self) {
        if self.withdraw() {
            drop(self.held());
        }
    }
}
