//! The mailbox: a bounded FIFO of envelopes, and the line of senders that wait for a slot.
//!
//! It carries bytes; what they mean is known to who pushes and who takes. One consumer, the
//! holder of the actor's run right; any number of senders.
//!
//! # Protocol
//!
//! Everything but two words is guarded by one lock, under which no user code runs: wakers are
//! called and dropped after it is let go.
//!
//! - **Slots.** A message holds one slot from acceptance until the consumer takes it out to
//!   handle it. `accepted` counts under the lock; `consumed` is written by the consumer alone,
//!   without the lock. Slots in use are their difference.
//! - **Granted means enqueued.** A sender that finds no slot leaves its envelope in its [`Waiter`]
//!   and joins the line. Whoever frees a slot moves the first envelope of the line into the queue;
//!   the sender need not be polled for it.
//! - **The line is non-empty only while no slot is free** (between critical sections), so a new
//!   sender never overtakes one that waits.
//! - **Attended.** True while somebody is bound to look at the queue again. The pusher that finds
//!   it false sets it and has to notify the actor; the consumer sets it false in the critical
//!   section in which it finds the queue empty. So no message is accepted unseen. It is written
//!   under the lock; without it, `is_quiet` reads it: who reads false knows that all sends which
//!   happened before were taken out, since each had set it.
//!
//! The one race outside the lock is a slot that is freed while a sender joins the line:
//!
//! | consumer (`release`) | sender (`join`, under the lock) |
//! | --- | --- |
//! | C1: `consumed` += 1 | S1: link the node, `has_waiters` = true |
//! | C2: fence | S2: fence |
//! | C3: read `has_waiters`; if true, grant | S3: read `consumed`; if a slot is free, grant |
//!
//! Of the two fences one is first in the total order. If C2 is, S3 sees C1 and the sender grants;
//! if S2 is, C3 sees S1 and the consumer takes the lock, after the sender has let it go, and
//! grants. Both may; the second then finds nothing to do.

mod consumer;
mod queue;
mod waiter;
mod wakes;

use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Poll, Waker};

pub(crate) use queue::{Queue, SLOT_ALIGN, Stride};
pub(crate) use waiter::{Phase, Probe, Waiter};

use crate::contain::contain;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use crate::sync::{Mutex, MutexGuard};
use waiter::Line;
use wakes::Wakes;

/// What the sender of an accepted message has to do.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// Nobody is bound to look at the queue: notify the actor.
    Notify,
    /// Somebody is.
    Attended,
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Full,
    Closed,
}

/// What the consumer found.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The batch has messages.
    Some,
    /// No message; the next one notifies.
    Empty,
    /// No message, and none will come.
    Closed,
}

/// An envelope as bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) start: NonNull<u8>,
    pub(crate) size: usize,
}

/// A slot for the next message, kept under the lock: no user code runs before it is filled.
pub(crate) struct Place<'a> {
    mailbox: &'a Mailbox,
    inner: MutexGuard<'a, Inner>,
    slot: NonNull<u8>,
}

impl Place<'_> {
    /// Where the envelope goes.
    #[inline]
    pub(crate) fn slot(&self) -> NonNull<u8> {
        self.slot
    }

    /// Takes the message in.
    ///
    /// # Safety
    ///
    /// - The envelope was moved to the slot, as by [`Queue::push`].
    #[inline]
    pub(crate) unsafe fn fill(mut self) -> Accepted {
        self.inner.accepted = self.inner.accepted.wrapping_add(1);
        // SAFETY: the caller.
        unsafe { self.inner.queue.advance() };
        self.mailbox.attend_locked()
    }
}

struct Inner {
    queue: Queue,
    line: Line,
    accepted: usize,
    closed: bool,
}

pub(crate) struct Mailbox {
    inner: Mutex<Inner>,
    /// Written by the consumer alone.
    consumed: AtomicUsize,
    /// Whether the line is non-empty; written under the lock.
    has_waiters: AtomicBool,
    /// Written under the lock.
    attended: AtomicBool,
    capacity: usize,
    stride: Stride,
}

impl Mailbox {
    pub(crate) fn new(capacity: usize, stride: Stride) -> Self {
        let inner = Inner {
            queue: Queue::new(),
            line: Line::new(),
            accepted: 0,
            closed: false,
        };
        Self {
            inner: Mutex::new(inner),
            consumed: AtomicUsize::new(0),
            has_waiters: AtomicBool::new(false),
            attended: AtomicBool::new(false),
            capacity,
            stride,
        }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn stride(&self) -> Stride {
        self.stride
    }

    /// Slots that no message holds.
    pub(crate) fn free_slots(&self) -> usize {
        let inner = self.inner.lock();
        self.capacity - self.used(&inner)
    }

    /// Senders in the line.
    pub(crate) fn waiting(&self) -> usize {
        self.inner.lock().line.len()
    }

    #[inline]
    fn used(&self, inner: &Inner) -> usize {
        // Ordering: Acquire; pairs with the Release in `release`.
        inner
            .accepted
            .wrapping_sub(self.consumed.load(Ordering::Acquire))
    }

    /// Gives the slot for the next message, if one is free and nobody waits.
    #[inline]
    pub(crate) fn open(&self) -> Result<Place<'_>, Refused> {
        let mut inner = self.inner.lock();
        self.admit(&inner)?;
        Ok(Place {
            mailbox: self,
            slot: inner.queue.end(self.stride),
            inner,
        })
    }

    /// Whether a message may come in.
    #[inline]
    fn admit(&self, inner: &Inner) -> Result<(), Refused> {
        if inner.closed {
            return Err(Refused::Closed);
        }
        if inner.line.len() > 0 || self.used(inner) >= self.capacity {
            return Err(Refused::Full);
        }
        Ok(())
    }

    /// # Safety
    ///
    /// - As [`Queue::push`]; on an error the envelope is still the caller's.
    unsafe fn push_locked(&self, inner: &mut Inner, envelope: Bytes) -> Result<Accepted, Refused> {
        self.admit(inner)?;
        inner.accepted = inner.accepted.wrapping_add(1);
        // SAFETY: the caller.
        Ok(unsafe { self.append(inner, envelope) })
    }

    /// # Safety
    ///
    /// - As [`Queue::push`].
    unsafe fn append(&self, inner: &mut Inner, envelope: Bytes) -> Accepted {
        // SAFETY: the caller.
        unsafe { inner.queue.push(self.stride, envelope.start, envelope.size) };
        self.attend_locked()
    }

    /// Makes it attended; whoever changes that sees to it. The lock is held.
    #[inline]
    fn attend_locked(&self) -> Accepted {
        // Ordering: Relaxed; all writes are under the lock, and `is_quiet` says why it may be.
        if self.attended.load(Ordering::Relaxed) {
            return Accepted::Attended;
        }
        self.attended.store(true, Ordering::Relaxed);
        Accepted::Notify
    }

    /// Whether all that was accepted before, in the order of happens-before, has been taken out,
    /// and the mailbox was not closed.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        // Ordering: Relaxed; each of those sends wrote true under the lock, and the false that is
        // read here was written later, in a critical section that found the queue empty.
        !self.attended.load(Ordering::Relaxed)
    }

    /// Moves a notice in. It stands in line with the messages and holds no slot, so it is never
    /// refused for want of one; whoever takes it out releases none, so its envelope says that it is
    /// a notice. Who sends them bounds how many there are: one for each monitor, timer or stream.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`]; on an error the envelope is still the caller's.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "its senders come with monitors and timers")
    )]
    pub(crate) unsafe fn push_notice(&self, notice: Bytes) -> Result<Accepted, Refused> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err(Refused::Closed);
        }
        // SAFETY: the caller.
        Ok(unsafe { self.append(&mut inner, notice) })
    }

    /// Moves the envelope in, or joins the line and waits with it.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`]; the waiter is in phase `Unsent`. If the result is `Pending`, the
    ///   envelope stays in place and untouched, and the waiter is not dropped, until
    ///   [`Mailbox::poll_waiter`] is ready or [`Mailbox::withdraw`] was called.
    pub(crate) unsafe fn push_or_wait(
        &self,
        envelope: Bytes,
        waiter: Pin<&Waiter>,
        waker: &Waker,
    ) -> Poll<Result<Accepted, Refused>> {
        // User code, so before the lock.
        let waker = waker.clone();
        let mut inner = self.inner.lock();
        // SAFETY: the caller.
        let pushed = unsafe { self.push_locked(&mut inner, envelope) };
        if pushed != Err(Refused::Full) {
            // Whatever its drop does, the envelope is in.
            drop(inner);
            contain(|| drop(waker));
            return Poll::Ready(pushed);
        }
        // S1
        // SAFETY: the lock is held; the caller keeps the node and envelope in place (W2, W3).
        unsafe {
            waiter.with(|node| {
                node.phase = Phase::Waiting;
                node.envelope = Some(envelope.start);
                node.size = envelope.size;
                node.waker = Some(waker);
            });
            inner.line.push(NonNull::from(waiter.get_ref()));
        }
        // Ordering: Relaxed; ordered by the fence S2, which pairs with C2 in `release`.
        self.has_waiters.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst); // S2
        let wakes = self.grant(&mut inner); // S3
        // SAFETY: the lock is held.
        let phase = unsafe { waiter.with(|node| node.phase) };
        drop(inner);
        wakes.wake();
        match phase {
            // The consumer was in the middle of a batch, so it is attended.
            Phase::Granted => Poll::Ready(Ok(Accepted::Attended)),
            _ => Poll::Pending,
        }
    }

    /// Whether a waiting envelope was moved in, or refused.
    pub(crate) fn poll_waiter(
        &self,
        waiter: Pin<&Waiter>,
        waker: &Waker,
    ) -> Poll<Result<(), Refused>> {
        let mut fresh = Some(waker.clone());
        let inner = self.inner.lock();
        // SAFETY: the lock is held.
        let (phase, old) = unsafe {
            waiter.with(|node| match node.phase {
                Phase::Waiting => (node.phase, std::mem::replace(&mut node.waker, fresh.take())),
                phase => (phase, None),
            })
        };
        drop(inner);
        contain(|| drop((fresh, old)));
        match phase {
            Phase::Granted => Poll::Ready(Ok(())),
            Phase::Refused => Poll::Ready(Err(Refused::Closed)),
            Phase::Waiting | Phase::Unsent => Poll::Pending,
        }
    }

    /// Leaves the line. Says where the message is: with the sender unless `Granted`.
    pub(crate) fn withdraw(&self, waiter: Pin<&Waiter>) -> Phase {
        let mut inner = self.inner.lock();
        // SAFETY: the lock is held; a waiting node stands in the line.
        let (phase, waker) = unsafe {
            let (phase, waker) = waiter.with(|node| (node.phase, node.waker.take()));
            if phase == Phase::Waiting {
                waiter.with(|node| node.phase = Phase::Unsent);
                inner.line.unlink(NonNull::from(waiter.get_ref()));
                self.note_line(&inner);
            }
            (phase, waker)
        };
        drop(inner);
        contain(|| drop(waker));
        phase
    }

    /// Refuses everything from now on; what was accepted stays. Refuses those who wait, too.
    /// Says whether the actor must be notified to see it.
    pub(crate) fn close(&self) -> Accepted {
        let mut attended = true;
        loop {
            let mut wakes = Wakes::new();
            let mut inner = self.inner.lock();
            inner.closed = true;
            attended &= self.attend_locked() == Accepted::Attended;
            while !wakes.is_full() {
                // SAFETY: the lock is held.
                let Some(waiter) = (unsafe { inner.line.pop() }) else {
                    break;
                };
                // SAFETY: the lock is held.
                let waker = unsafe {
                    waiter.as_ref().with(|node| {
                        node.phase = Phase::Refused;
                        node.waker.take()
                    })
                };
                wakes.push(waker);
            }
            let done = inner.line.len() == 0;
            self.note_line(&inner);
            drop(inner);
            wakes.wake();
            if done {
                return if attended {
                    Accepted::Attended
                } else {
                    Accepted::Notify
                };
            }
        }
    }
}

#[cfg(all(test, not(greenroom_loom)))]
mod tests;

#[cfg(all(test, greenroom_loom))]
mod loom;
