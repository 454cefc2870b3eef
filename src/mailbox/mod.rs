//! The mailbox: a bounded queue of envelopes, and the line of senders that wait for a slot.
//!
//! It carries bytes; what they mean is known to who pushes and who takes. One consumer, the
//! holder of the actor's run right; any number of senders.
//!
//! # Where a message lies
//!
//! Most messages are *plain*: of the normal lane, without weight and key, and not to be dropped
//! once they are in. They lie in one queue of blocks, which the consumer swaps for its empty batch.
//! All others lie in the *annex*, a list for each lane, of nodes that may be taken out of the
//! middle; it is made when it is first needed.
//!
//! - **L1.** While the annex's normal list is non-empty, plain messages go there, too. So what lies
//!   in batch and queue is older than what lies in that list, and the order within the lane holds.
//! - **L2.** The consumer takes a batch's messages without the lock, except while urgent or
//!   background messages wait: the flag LANES says so, and the lane is then chosen under the lock.
//! - **L3.** Messages of the annex are taken one by one under the lock, where their bytes are given
//!   back. Their slots are given back as those of the batch, by `release`, which grants both.
//!
//! # Protocol
//!
//! Everything but some words is guarded by one lock, under which no user code runs: wakers are
//! called, and messages dropped, after it is let go.
//!
//! - **Slots.** A message holds one slot from acceptance until the consumer takes it out to
//!   handle it; a reservation holds slots without messages; a notice holds none. `held` counts
//!   under the lock, and is lowered there by whoever gives slots back but the consumer, which
//!   counts what it has taken out in `consumed`, alone and without the lock. Slots in use are the
//!   difference.
//! - **Granted means enqueued.** A sender that does not fit leaves its envelope in its [`Waiter`]
//!   and joins the line. Whoever frees a slot moves the first envelopes of the line to where they
//!   belong; their senders need not be polled for it.
//! - **The line is non-empty only while its head does not fit** (between critical sections, but
//!   for the rounds of one that has more to wake than `After` holds), so a new sender never
//!   overtakes one that waits. Slots may be free then: the head may want several, or bytes.
//! - **One way back.** Whatever gives slots, bytes or capacity back (a message taken or dropped, a
//!   reservation given up, a sender that leaves the line, a larger capacity) calls `grant`, which
//!   notifies the actor if what it moves in makes an unattended mailbox attended.
//! - **Attended.** True while somebody is bound to look at the queue again. The pusher that finds
//!   it false sets it and has to notify the actor; the consumer sets it false in the critical
//!   section in which it finds the queue empty, or leaves it so, and looks at it once more before
//!   it rests. So no message is accepted unseen.
//! - **Flags** are one word, written under the lock alone. `is_quiet` reads it without: each send
//!   that is accepted has set ATTENDED in it and each that waits has set LINE, and whoever lets one
//!   in sets that before clearing this. So who reads neither knows that all sends which happened
//!   before were taken out, by the actor or back by their senders.
//!
//! The one race outside the lock is a slot that is freed while a sender joins the line:
//!
//! | consumer (`release`) | sender (`join`, under the lock) |
//! | --- | --- |
//! | C1: `consumed` += 1 | S1: link the node, set LINE |
//! | C2: fence | S2: fence |
//! | C3: read LINE; if set, grant | S3: read `consumed`; if the head fits, grant |
//!
//! Of the two fences one is first in the total order. If C2 is, S3 sees C1 and the sender grants;
//! if S2 is, C3 sees S1 and the consumer takes the lock, after the sender has let it go, and
//! grants. Both may; the second then finds nothing to do.

mod after;
mod annex;
mod consumer;
mod line;
mod metrics;
mod node;
mod push;
mod queue;
mod reserve;
mod tag;
mod waiter;

use std::ptr::NonNull;

pub(crate) use consumer::Next;
pub use metrics::MailboxMetrics;
pub(crate) use push::{Mail, Sent, Wait};
pub(crate) use queue::{Queue, SLOT_ALIGN, Stride};
pub(crate) use tag::Tag;
pub use tag::{Lane, Overflow};
pub(crate) use waiter::{Phase, Probe, Waiter};

use crate::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use after::After;
use annex::Annex;
use waiter::Line;

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

/// An envelope as bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) start: NonNull<u8>,
    pub(crate) size: usize,
}

/// Who knows what the bytes mean.
pub(crate) trait Discard {
    /// Moves a message out that was dropped for want of room, and drops it.
    ///
    /// # Safety
    ///
    /// - The envelope came from this mailbox, and is not read again.
    unsafe fn discard(&self, envelope: NonNull<u8>);
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
        self.inner.held = self.inner.held.wrapping_add(1);
        // SAFETY: the caller.
        unsafe { self.inner.queue.advance() };
        self.mailbox.attend_locked()
    }
}

/// It takes nothing more.
const CLOSED: u8 = 1 << 0;
/// The line is non-empty.
const LINE: u8 = 1 << 1;
/// The annex's normal list is non-empty.
const NORMAL: u8 = 1 << 2;
/// Another list of the annex is.
const LANES: u8 = 1 << 3;
/// Somebody is bound to look at the queue.
const ATTENDED: u8 = 1 << 4;
/// Somebody wants to know when nothing is handled. Once set, it stays.
const WATCHED: u8 = 1 << 5;

struct Inner {
    queue: Queue,
    line: Line,
    annex: Option<Box<Annex>>,
    held: usize,
    capacity: u32,
}

impl Inner {
    fn annex(&mut self) -> &mut Annex {
        self.annex.get_or_insert_with(|| Box::new(Annex::new(None)))
    }
}

pub(crate) struct Mailbox {
    inner: Mutex<Inner>,
    /// Written by the consumer alone.
    consumed: AtomicUsize,
    stride: Stride,
    /// Written under the lock.
    flags: AtomicU8,
}

impl Mailbox {
    /// An empty mailbox of 1 to `MAILBOX_MAX` slots, and perhaps a bound for the bytes in it.
    pub(crate) fn new(capacity: usize, bytes: Option<usize>, stride: Stride) -> Self {
        let inner = Inner {
            queue: Queue::new(),
            line: Line::new(),
            annex: bytes.map(|_| Box::new(Annex::new(bytes))),
            held: 0,
            capacity: slots(capacity),
        };
        Self {
            inner: Mutex::new(inner),
            consumed: AtomicUsize::new(0),
            stride,
            flags: AtomicU8::new(0),
        }
    }

    /// Exact under the lock, and a hint without it.
    #[inline]
    fn flags(&self) -> u8 {
        // Ordering: Relaxed; written under the lock, and who reads without it says why it may.
        self.flags.load(Ordering::Relaxed)
    }

    #[inline]
    fn is(&self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    /// Whether it takes nothing.
    pub(crate) fn is_closed(&self) -> bool {
        self.is(CLOSED)
    }

    /// The lock is held.
    #[inline]
    fn set(&self, flag: u8, on: bool) {
        let flags = self.flags();
        let flags = if on { flags | flag } else { flags & !flag };
        // Ordering: Relaxed; as in `flags`.
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// Slots in use. The consumer may give some back meanwhile.
    #[inline]
    fn used(&self, inner: &Inner) -> usize {
        // Ordering: Acquire; pairs with the Release in `release`.
        inner
            .held
            .wrapping_sub(self.consumed.load(Ordering::Acquire))
    }

    /// Gives the slot for the next plain message, if one is free and nothing speaks against it.
    /// If not, [`Mailbox::push`] says why.
    #[inline]
    pub(crate) fn open(&self) -> Option<Place<'_>> {
        let mut inner = self.inner.lock();
        // L1, and nobody is overtaken.
        if self.is(CLOSED | LINE | NORMAL) || self.used(&inner) >= inner.capacity as usize {
            return None;
        }
        Some(Place {
            mailbox: self,
            slot: inner.queue.end(self.stride),
            inner,
        })
    }

    /// Makes it attended; whoever changes that sees to it. The lock is held.
    #[inline]
    fn attend_locked(&self) -> Accepted {
        let flags = self.flags();
        if flags & ATTENDED != 0 {
            return Accepted::Attended;
        }
        // Ordering: Relaxed; as in `flags`.
        self.flags.store(flags | ATTENDED, Ordering::Relaxed);
        Accepted::Notify
    }

    /// Whether all that was sent before, in the order of happens-before, has been taken out, or
    /// back by its sender, and the mailbox was not closed. False as well for one that is watched.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        // Relaxed: each of those sends set a flag under the lock, and what is read here was written
        // then or later. A closed mailbox stays attended, and so does one whose annex holds any.
        self.flags() == 0
    }

    /// As [`Mailbox::is_quiet`], of a mailbox that is watched.
    pub(crate) fn is_quiet_and_watched(&self) -> bool {
        self.flags() == WATCHED
    }

    /// From here on it is watched.
    pub(crate) fn watch(&self) {
        let _inner = self.inner.lock();
        self.set(WATCHED, true);
    }

    /// How many messages the consumer has taken out, modulo the width of the number.
    pub(crate) fn consumed(&self) -> usize {
        // Ordering: Relaxed; a number that may be old when it is read.
        self.consumed.load(Ordering::Relaxed)
    }

    /// Notes what waits in the annex. The lock is held.
    fn note_annex(&self, inner: &Inner) {
        let Some(annex) = &inner.annex else {
            return;
        };
        let normal = annex.waits(Lane::Normal);
        let others = [Lane::Urgent, Lane::Background, Lane::Returned];
        let lanes = others.into_iter().any(|lane| annex.waits(lane));
        self.set(NORMAL, normal);
        self.set(LANES, lanes);
    }

    /// Changes the number of slots: 1 to `MAILBOX_MAX`. What is in stays in.
    pub(crate) fn set_capacity(&self, capacity: usize, discard: &impl Discard) -> Accepted {
        let mut inner = self.inner.lock();
        inner.capacity = slots(capacity);
        self.grant_rounds(inner, After::new(), discard)
    }
}

/// Each idle actor carries one.
#[cfg(not(greenroom_loom))]
const _: () = assert!(size_of::<Mailbox>() <= 12 * size_of::<usize>());

fn slots(capacity: usize) -> u32 {
    u32::try_from(capacity).expect("it is at most `MAILBOX_MAX`")
}

#[cfg(all(test, not(greenroom_loom)))]
mod model;
#[cfg(test)]
mod testing;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;

#[cfg(all(test, greenroom_loom))]
mod loom;
