//! A message on its way into a mailbox: the half that ask and tell share.
//!
//! # Invariants
//!
//! - **S1.** While `waiting` has a unit, the waiter stands (or stood, until it was granted or
//!   refused) in the mailbox of the cell that it is a count of; the parcel is sealed and stays in
//!   place. Pinning keeps both there, and `Drop` withdraws. The count is the value's own, since the
//!   handle that it was sent by may be dropped first.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::cell::Head;
use super::envelope::Parcel;
use super::policy::Overflowed;
use super::strong::Strong;
use super::waits::{self, Wait};
use crate::edges;
use crate::mailbox::{self, Accepted, Phase, Place, Refused, Sent, Waiter};
use crate::pool::PoolBox;
use crate::reply::ReplyEnd;
use crate::task::Unit;

/// How a message is sealed for its actor.
pub(super) trait Seal<M>: FnOnce(M, Option<ReplyEnd>) -> Parcel<M> {}

impl<M, F: FnOnce(M, Option<ReplyEnd>) -> Parcel<M>> Seal<M> for F {}

/// The message, and the sender's place in the line.
pub(super) struct Sending<M: Send + 'static> {
    parcel: Parcel<M>,
    /// Most have none, and all are moved: so it lies elsewhere. Until the message is accepted, it
    /// has a unit.
    waiting: Option<PoolBox<Waiting>>,
    is_accepted: bool,
    waiter: Waiter,
}

/// What a send, or an ask that has sent, keeps while it waits.
struct Waiting {
    /// What others see of it. It ends before what it reads goes (D1).
    wait: Wait,
    /// S1.
    unit: Option<Unit>,
}

impl Waiting {
    fn new(unit: Option<Unit>) -> PoolBox<Self> {
        let wait = Wait::none();
        PoolBox::new(Self { wait, unit })
    }
}

// SAFETY: it owns its message; the waiter is reached under the mailbox's lock (W1).
unsafe impl<M: Send + 'static> Send for Sending<M> {}
// SAFETY: `&Sending` gives access to nothing.
unsafe impl<M: Send + 'static> Sync for Sending<M> {}

impl<M: Send + 'static> Sending<M> {
    pub(super) fn new(message: M) -> Self {
        Self {
            parcel: Parcel::Loose(message),
            waiting: None,
            is_accepted: false,
            waiter: Waiter::new(),
        }
    }

    /// Takes a message that was never polled out.
    pub(super) fn into_message(mut self) -> Option<M> {
        self.take_loose()
    }

    /// The message, as long as it was not sealed.
    pub(super) fn take_loose(&mut self) -> Option<M> {
        match std::mem::replace(&mut self.parcel, Parcel::Empty) {
            Parcel::Loose(message) => Some(message),
            sealed => {
                self.parcel = sealed;
                None
            }
        }
    }

    /// Takes the message out, to go past the mailbox: then the send is done. `None` if it is on
    /// its way already.
    pub(super) fn bypass(self: Pin<&mut Self>) -> Option<M> {
        // SAFETY: a loose message is not pinned: nobody knows its place.
        let this = unsafe { self.get_unchecked_mut() };
        let message = this.take_loose()?;
        this.is_accepted = true;
        Some(message)
    }

    /// Seals the message, so that its way back is known before it is sent.
    pub(super) fn seal(self: Pin<&mut Self>, seal: impl FnOnce(M) -> Parcel<M>) {
        // SAFETY: a loose message is not pinned: nobody knows its place.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(message) = this.take_loose() {
            this.parcel = seal(message);
        }
    }

    /// Takes the sealed message out. It was not sent, nor will be from here.
    pub(super) fn take_sealed(self: Pin<&mut Self>) -> Parcel<M> {
        // SAFETY: the parcel is pinned only while it waits.
        let this = unsafe { self.get_unchecked_mut() };
        debug_assert!(this.waiting.is_none());
        std::mem::replace(&mut this.parcel, Parcel::Empty)
    }

    /// Whether the message has not been sent.
    pub(super) fn is_unsent(&self) -> bool {
        matches!(self.parcel, Parcel::Loose(_))
    }

    /// What tells others whether the message waits for a slot, if it has come to that.
    ///
    /// It may be used until the message was accepted or taken back.
    pub(super) fn line(&self) -> Option<edges::Probe> {
        let unit = self.waiting.as_ref()?.unit.as_ref()?;
        // SAFETY: S1: it is a count of a cell.
        let cell = unsafe { unit.as_raw().cast::<Head>().as_ref() };
        let probe = mailbox::Probe::new(&cell.mailbox, &self.waiter);
        Some(edges::Probe::Line(probe))
    }

    /// What others see of its wait; `None` if nobody need see any.
    #[inline]
    pub(super) fn wait(self: Pin<&mut Self>) -> Option<&mut Wait> {
        // SAFETY: what waits is not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        if this.waiting.is_none() && !waits::is_seen() {
            return None;
        }
        let waiting = this.waiting.get_or_insert_with(|| Waiting::new(None));
        Some(&mut waiting.wait)
    }

    /// Others see no wait any more.
    #[inline]
    pub(super) fn end_wait(self: Pin<&mut Self>) {
        // SAFETY: what waits is not pinned.
        if let Some(waiting) = &mut unsafe { self.get_unchecked_mut() }.waiting {
            waiting.wait.end();
        }
    }

    /// Sends at once or not at all.
    pub(super) fn try_send(
        mut self,
        target: &Strong,
        seal: impl Seal<M>,
    ) -> Result<(), (Refused, Option<M>)> {
        let Some(message) = self.take_loose() else {
            return Err((Refused::Closed, None));
        };
        let parcel = seal(message, None);
        let accepted = match plain_place(&parcel, target) {
            // SAFETY: the parcel was sealed for the target (E1).
            Some(place) => unsafe { parcel.move_into(place) },
            None => hand_over(parcel, target)?,
        };
        note(accepted, target);
        Ok(())
    }

    /// Sends, waiting for a slot, at the cost of a unit of the task's budget. `reply` makes the way
    /// back, once, at the first poll.
    ///
    /// The first poll takes the message its place in the order, also in a task that has used its
    /// budget up: then the send is done, and only its `Ready` waits for the budget.
    #[inline]
    pub(super) fn poll_send(
        self: Pin<&mut Self>,
        target: &Strong,
        seal: impl Seal<M>,
        reply: impl FnOnce() -> Option<ReplyEnd>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Refused>> {
        let budget = tokio::task::coop::poll_proceed(cx);
        ready!(self.poll_place(target, seal, reply, cx))?;
        ready!(budget).made_progress();
        Poll::Ready(Ok(()))
    }

    /// As [`Sending::poll_send`], at no cost: something else is waited for behind it.
    #[inline]
    pub(super) fn poll_place(
        self: Pin<&mut Self>,
        target: &Strong,
        seal: impl Seal<M>,
        reply: impl FnOnce() -> Option<ReplyEnd>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Refused>> {
        // SAFETY: nothing is moved out of its place but by `bytes` and `forget`, once S1 allows.
        let this = unsafe { self.get_unchecked_mut() };
        if !this.is_accepted {
            let accepted = match this.waiting {
                Some(_) => ready!(this.poll_waiting(target, cx))?,
                None => ready!(this.push(target, seal, reply, cx))?,
            };
            this.is_accepted = true;
            note(accepted, target);
        }
        Poll::Ready(Ok(()))
    }

    #[cold]
    fn poll_waiting(
        &mut self,
        target: &Strong,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Accepted, Refused>> {
        // SAFETY: the value is pinned, for it waits.
        let waiter = unsafe { Pin::new_unchecked(&self.waiter) };
        let granted = ready!(target.head().mailbox.poll_waiter(waiter, cx.waker()));
        // First what others see of it, then the unit.
        self.waiting = None;
        if granted.is_ok() {
            self.parcel.forget();
        }
        Poll::Ready(granted.map(|()| Accepted::Attended))
    }

    #[inline]
    fn push(
        &mut self,
        target: &Strong,
        seal: impl Seal<M>,
        reply: impl FnOnce() -> Option<ReplyEnd>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Accepted, Refused>> {
        // It is sealed already if it has a limit, or if user code panicked in an earlier poll: the
        // clone of the waker, or what says what the message asks.
        if let Some(message) = self.take_loose() {
            let parcel = seal(message, reply());
            match plain_place(&parcel, target) {
                // SAFETY: the parcel was sealed for the target (E1).
                Some(place) => return Poll::Ready(Ok(unsafe { parcel.move_into(place) })),
                None => self.parcel = parcel,
            }
        }
        self.push_or_wait(target, cx)
    }

    #[cold]
    fn push_or_wait(
        &mut self,
        target: &Strong,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Accepted, Refused>> {
        let mail = self
            .parcel
            .mail()
            .expect("a send is not polled after it is done");
        let wait = mailbox::Wait {
            // SAFETY: the value is pinned: `poll_send` is the only caller.
            waiter: unsafe { Pin::new_unchecked(&self.waiter) },
            waker: cx.waker(),
        };
        let mailbox = &target.head().mailbox;
        // SAFETY: sealed for the target (E1); S1 keeps waiter and parcel.
        let (sent, accepted) =
            unsafe { mailbox.push(&mail, Some(wait), &Overflowed(target.head())) };
        match sent {
            Sent::Waiting => {
                let unit = (*target.unit()).clone();
                self.waiting = Some(Waiting::new(Some(unit)));
                // Others may have been let in.
                note(accepted, target);
                Poll::Pending
            }
            Sent::Refused(refused) => {
                note(accepted, target);
                Poll::Ready(Err(refused))
            }
            Sent::Accepted => {
                self.parcel.forget();
                Poll::Ready(Ok(accepted))
            }
            Sent::Dropped => {
                self.parcel.overflow(target.head());
                Poll::Ready(Ok(accepted))
            }
        }
    }

    /// Takes the message back, unless it was accepted. Others see no wait any more.
    pub(super) fn cancel(self: Pin<&mut Self>) -> Option<M> {
        // SAFETY: the parcel is moved out only when no mailbox knows it any more.
        let this = unsafe { self.get_unchecked_mut() };
        this.withdraw();
        std::mem::replace(&mut this.parcel, Parcel::Empty).open()
    }

    #[inline]
    fn withdraw(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.end(waiting.into_inner());
        }
    }

    #[cold]
    fn end(&mut self, waiting: Waiting) {
        let Waiting { mut wait, unit } = waiting;
        wait.end();
        // SAFETY: S1; the field is pinned, for it waits.
        let granted =
            unit.is_some_and(|unit| unsafe { leave(&unit, Pin::new_unchecked(&self.waiter)) });
        if granted {
            self.parcel.forget();
        }
    }
}

/// Notifies the actor, if that is wanted.
#[inline]
pub(super) fn note(accepted: Accepted, target: &Strong) {
    if accepted == Accepted::Notify {
        target.unit().notify();
    }
}

/// Leaves the line. Says whether what was waited for was granted.
///
/// # Safety
///
/// - The unit is a count of the cell in whose mailbox the waiter stands, or stood.
pub(super) unsafe fn leave(unit: &Unit, waiter: Pin<&Waiter>) -> bool {
    // SAFETY: the caller.
    let cell = unsafe { unit.as_raw().cast::<Head>().as_ref() };
    let (phase, accepted) = cell.mailbox.withdraw(waiter, &Overflowed(cell));
    if accepted == Accepted::Notify {
        unit.notify();
    }
    phase == Phase::Granted
}

/// The place of a message that takes the plain way in, if there is room.
#[inline]
fn plain_place<'a, M: Send + 'static>(parcel: &Parcel<M>, target: &'a Strong) -> Option<Place<'a>> {
    match parcel.is_plain() {
        true => target.head().mailbox.open(),
        false => None,
    }
}

/// Sends what does not take the plain way in, or finds no room there, without waiting.
#[cold]
fn hand_over<M: Send + 'static>(
    mut parcel: Parcel<M>,
    target: &Strong,
) -> Result<Accepted, (Refused, Option<M>)> {
    let head = target.head();
    let mail = parcel.mail().expect("it was sealed");
    // SAFETY: sealed for the target (E1); nothing waits.
    let (sent, accepted) = unsafe { head.mailbox.push(&mail, None, &Overflowed(head)) };
    match sent {
        Sent::Accepted => {
            parcel.forget();
            Ok(accepted)
        }
        Sent::Dropped => {
            parcel.overflow(head);
            Ok(accepted)
        }
        Sent::Refused(refused) => {
            note(accepted, target);
            Err((refused, parcel.open()))
        }
        Sent::Waiting => unreachable!("nothing waits"),
    }
}

impl<M: Send + 'static> Drop for Sending<M> {
    #[inline]
    fn drop(&mut self) {
        self.withdraw();
    }
}
