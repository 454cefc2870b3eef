//! The way in for whatever does not take the plain one.

use std::pin::Pin;
use std::task::Waker;

use super::after::After;
use super::waiter::Asked;
use super::{
    Accepted, Bytes, CLOSED, Discard, Inner, LINE, Lane, Mailbox, NORMAL, Overflow, Phase, Refused,
    Tag, Waiter,
};
use crate::contain::contain;

/// A message as its sender brings it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mail {
    pub(crate) envelope: Bytes,
    pub(crate) tag: Tag,
}

/// What waits, and who is woken.
pub(crate) struct Wait<'a> {
    pub(crate) waiter: Pin<&'a Waiter>,
    pub(crate) waker: &'a Waker,
}

/// What became of a message.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Accepted,
    /// It is in the line.
    Waiting,
    Refused(Refused),
    /// It is to be dropped, by its sender, who has it.
    Dropped,
}

/// What one round makes of it.
enum Round {
    Done(Sent),
    /// It waits, if it may.
    Full,
    /// There is more to drop than one round takes.
    Again,
}

impl Mailbox {
    /// Moves a message in, or does what its overflow says. With `wait`, it may join the line.
    ///
    /// Says also whether the actor has to be notified, whatever became of the message: others may
    /// have been let in.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push), but that unless the result is `Accepted`, the
    ///   envelope is still the caller's. The waiter is in phase `Unsent`; if the result is
    ///   `Waiting`, it is not dropped, and the envelope stays in place and untouched, until
    ///   [`Mailbox::poll_waiter`] is ready or [`Mailbox::withdraw`] was called.
    pub(crate) unsafe fn push(
        &self,
        mail: &Mail,
        wait: Option<Wait<'_>>,
        discard: &impl Discard,
    ) -> (Sent, Accepted) {
        // User code, so before the lock.
        let mut wait = wait
            .filter(|_| mail.tag.waits())
            .map(|wait| (wait.waiter, Some(wait.waker.clone())));
        let mut again = false;
        let mut accepted = Accepted::Attended;
        loop {
            let mut after = After::new();
            let mut inner = self.inner.lock();
            if std::mem::replace(&mut again, true) {
                // What the last round had no room for.
                self.grant(&mut inner, &mut after);
            }
            // SAFETY: the caller.
            let round = unsafe { self.push_round(&mut inner, mail, &mut after) };
            let sent = match (round, &mut wait) {
                (Round::Done(sent), _) => Some(sent),
                (Round::Again, _) => None,
                (Round::Full, None) => Some(Sent::Refused(Refused::Full)),
                (Round::Full, Some((waiter, waker))) => {
                    let asked = Asked::Message(mail.envelope, mail.tag);
                    let waker = waker.take().expect("it joins once");
                    // SAFETY: the caller.
                    let phase = unsafe { self.join(&mut inner, *waiter, waker, asked, &mut after) };
                    Some(match phase {
                        Phase::Granted => Sent::Accepted,
                        _ => Sent::Waiting,
                    })
                }
            };
            drop(inner);
            if after.run(discard) == Accepted::Notify {
                accepted = Accepted::Notify;
            }
            if let Some(sent) = sent {
                // Whatever its drop does, the message is where it belongs.
                contain(|| drop(wait));
                return (sent, accepted);
            }
        }
    }

    /// Moves plain messages in, in order, while slots are free and nothing speaks against the plain
    /// way in. Says how many.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push), for so many of the first envelopes; all others are
    ///   still the caller's. The iterator runs no user code.
    pub(crate) unsafe fn push_many(
        &self,
        envelopes: &mut dyn Iterator<Item = Bytes>,
    ) -> (usize, Accepted) {
        let mut inner = self.inner.lock();
        let used = self.used(&inner);
        // L1, and nobody is overtaken.
        if self.is(CLOSED | LINE | NORMAL) {
            return (0, Accepted::Attended);
        }
        let mut count = 0;
        for envelope in envelopes.take((inner.capacity as usize).saturating_sub(used)) {
            // SAFETY: the caller.
            unsafe { inner.queue.push(self.stride, envelope.start, envelope.size) };
            count += 1;
        }
        if count == 0 {
            return (0, Accepted::Attended);
        }
        inner.held = inner.held.wrapping_add(count);
        (count, self.attend_locked())
    }

    /// # Safety
    ///
    /// - As [`Mailbox::push`]; the lock is held.
    unsafe fn push_round(&self, inner: &mut Inner, mail: &Mail, after: &mut After) -> Round {
        if self.is(CLOSED) {
            return Round::Done(Sent::Refused(Refused::Closed));
        }
        let tag = &mail.tag;
        loop {
            if !self.is(LINE) && self.fits(inner, tag) {
                // SAFETY: the caller.
                unsafe { self.place(inner, mail.envelope, tag, after) };
                return Round::Done(Sent::Accepted);
            }
            match tag.overflow {
                Overflow::Wait | Overflow::Latest => return Round::Full,
                Overflow::Reject => return Round::Done(Sent::Refused(Refused::Full)),
                Overflow::DropOldest if after.is_full() => return Round::Again,
                Overflow::DropNewest | Overflow::DropOldest => {}
            }
            let is_oldest = tag.overflow == Overflow::DropOldest && self.gains(inner, tag);
            let annex = inner.annex();
            let Some(oldest) = annex.oldest().filter(|_| is_oldest) else {
                annex.dropped += 1;
                return Round::Done(Sent::Dropped);
            };
            // What it leaves goes to those who wait first, so that nobody is overtaken.
            // SAFETY: it stands in the annex.
            unsafe { self.evict(inner, oldest, after) };
            self.grant(inner, after);
        }
    }

    /// Moves a notice in. It stands in line with the normal messages and holds no slot, so it is
    /// never refused for want of one. Who sends them bounds how many there are: one for each
    /// monitor, timer or stream.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push); on an error the envelope is still the caller's.
    pub(crate) unsafe fn push_notice(&self, notice: Bytes) -> Result<Accepted, Refused> {
        let mut inner = self.inner.lock();
        if self.is(CLOSED) {
            return Err(Refused::Closed);
        }
        // SAFETY: the caller.
        unsafe { self.append(&mut inner, notice, &Tag::plain(Overflow::Wait), false) };
        Ok(self.attend_locked())
    }

    /// Consumer: moves a message in, before all others and behind those that were put there so. It
    /// holds no slot, and comes in also when the mailbox was closed: it was accepted before.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push).
    pub(crate) unsafe fn push_returned(&self, envelope: Bytes) -> Accepted {
        let mut inner = self.inner.lock();
        let tag = Tag {
            lane: Lane::Returned,
            ..Tag::plain(Overflow::Wait)
        };
        // SAFETY: the caller.
        unsafe { self.append(&mut inner, envelope, &tag, false) };
        self.attend_locked()
    }
}
