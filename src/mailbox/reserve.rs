//! Slots that are held without a message.
//!
//! A reservation holds slots, not bytes: a message that weighs something goes into its slot if its
//! bytes fit, and nobody waits.

use std::task::Poll;

use super::after::After;
use super::push::{Mail, Wait};
use super::waiter::Asked;
use super::{Accepted, CLOSED, Discard, Inner, LINE, Mailbox, Phase, Refused};
use crate::contain::contain;

impl Mailbox {
    /// Holds so many slots, which must be given back or filled; or, with `wait`, joins the line for
    /// them. More than the mailbox has are refused.
    ///
    /// Once the waiter is in phase `Granted`, they are held, whether it was polled or not. Says
    /// also whether the actor has to be notified: others may have been let in.
    ///
    /// # Safety
    ///
    /// - The waiter is in phase `Unsent`; if the result is `Pending`, it is not dropped until
    ///   [`Mailbox::poll_waiter`] is ready or [`Mailbox::withdraw`] was called.
    pub(crate) unsafe fn reserve(
        &self,
        slots: usize,
        wait: Option<Wait<'_>>,
        discard: &impl Discard,
    ) -> (Poll<Result<(), Refused>>, Accepted) {
        // User code, so before the lock.
        let wait = wait.map(|wait| (wait.waiter, wait.waker.clone()));
        let mut after = After::new();
        let mut inner = self.inner.lock();
        let mut unused = None;
        let held = if self.is(CLOSED) {
            unused = wait;
            Poll::Ready(Err(Refused::Closed))
        } else if slots > inner.capacity as usize {
            unused = wait;
            Poll::Ready(Err(Refused::Full))
        } else if !self.is(LINE) && self.has_slots(&inner, slots) {
            unused = wait;
            Self::hold(&mut inner, slots);
            Poll::Ready(Ok(()))
        } else if let Some((waiter, waker)) = wait {
            let asked = Asked::Slots(slots);
            // SAFETY: the caller.
            match unsafe { self.join(&mut inner, waiter, waker, asked, &mut after) } {
                Phase::Granted => Poll::Ready(Ok(())),
                _ => Poll::Pending,
            }
        } else {
            Poll::Ready(Err(Refused::Full))
        };
        drop(inner);
        let accepted = after.run(discard);
        contain(|| drop(unused));
        (held, accepted)
    }

    pub(super) fn hold(inner: &mut Inner, slots: usize) {
        inner.held = inner.held.wrapping_add(slots);
        inner.annex().reserved += slots;
    }

    fn let_go(inner: &mut Inner, slots: usize) {
        inner.held = inner.held.wrapping_sub(slots);
        inner.annex().reserved -= slots;
    }

    /// Moves a message into a slot that was held. If the mailbox was closed, or has no room for its
    /// bytes, the slot is still held.
    ///
    /// # Safety
    ///
    /// - As [`Mailbox::push`], and a slot is held, which is the caller's to fill.
    pub(crate) unsafe fn fill(
        &self,
        mail: &Mail,
        discard: &impl Discard,
    ) -> Result<Accepted, Refused> {
        let mut after = After::new();
        let mut inner = self.inner.lock();
        if self.is(CLOSED) {
            return Err(Refused::Closed);
        }
        Self::let_go(&mut inner, 1);
        let annex = inner.annex();
        let weight = annex.weight(&mail.tag);
        // The slot is there, also where the capacity was lowered.
        let has_room = annex.takes(weight, annex.leaves(&mail.tag));
        if weight > 0 && (self.is(LINE) || !has_room) {
            Self::hold(&mut inner, 1);
            return Err(Refused::Full);
        }
        // SAFETY: the caller.
        unsafe { self.place(&mut inner, mail.envelope, &mail.tag, &mut after) };
        // What it replaces leaves a slot.
        Ok(self.grant_rounds(inner, after, discard))
    }

    /// Gives held slots back.
    pub(crate) fn give_back(&self, slots: usize, discard: &impl Discard) -> Accepted {
        let mut inner = self.inner.lock();
        Self::let_go(&mut inner, slots);
        self.grant_rounds(inner, After::new(), discard)
    }
}
