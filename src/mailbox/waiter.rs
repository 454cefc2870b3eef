//! Senders that wait: nodes in their futures, linked under the mailbox's lock.
//!
//! # Invariants
//!
//! - **W1.** A node's fields are touched only under the lock of the one mailbox it is used with.
//! - **W2.** A linked node is in phase `Waiting`; its envelope, if it waits with one, is
//!   initialised and neither moves nor is touched by the sender. Whoever unlinks it decides the
//!   phase in the same critical section, and from `Granted` on the envelope's bytes are gone.
//! - **W3.** A node is unlinked before its memory goes: its owner withdraws it when dropped.
//! - **W4.** A linked node owns its tag, if it has one, in a block from the pool: whoever unlinks
//!   it settles it, which frees that. So an unlinked node has none, and its drop need not look.

mod probe;

use std::alloc::Layout;
use std::marker::PhantomPinned;
use std::ptr::NonNull;
use std::task::Waker;

pub(crate) use probe::Probe;

use super::{Bytes, Overflow, Tag};
use crate::pool;
use crate::sync::UnsafeCell;

/// Where a sender's message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// With the sender.
    Unsent,
    /// In the node, linked.
    Waiting,
    /// In the mailbox; or the slots are held.
    Granted,
    /// Back with the sender: the mailbox closed.
    Refused,
}

/// A sender's place in the line; part of its future.
pub(crate) struct Waiter {
    node: UnsafeCell<Node>,
    _pinned: PhantomPinned,
}

// SAFETY: W1: fields are reached only under the mailbox's lock.
unsafe impl Send for Waiter {}
// SAFETY: W1.
unsafe impl Sync for Waiter {}

pub(super) struct Node {
    prev: Option<NonNull<Waiter>>,
    next: Option<NonNull<Waiter>>,
    pub(super) phase: Phase,
    /// Of the envelope, in bytes; without one, how many slots it waits for.
    size: u32,
    envelope: Option<NonNull<u8>>,
    /// None for a plain message whose sender waits. W4.
    tag: Option<NonNull<Tag>>,
    pub(super) waker: Option<Waker>,
}

/// What is waited for.
pub(super) enum Asked {
    Message(Bytes, Tag),
    Slots(usize),
}

impl Node {
    /// Waits for this.
    pub(super) fn wait(&mut self, asked: Asked, waker: Waker) {
        let (size, envelope, tag) = match asked {
            Asked::Message(Bytes { start, size }, tag) => (size, Some(start), Some(tag)),
            Asked::Slots(slots) => (slots, None, None),
        };
        self.phase = Phase::Waiting;
        self.size = u32::try_from(size).expect("it is at most `MAILBOX_MAX`");
        self.envelope = envelope;
        self.tag = tag.filter(|tag| !tag.is_default()).map(|tag| {
            let place = pool::alloc(Layout::new::<Tag>()).cast();
            // SAFETY: fresh memory of a tag's layout.
            unsafe { place.write(tag) };
            place
        });
        self.waker = Some(waker);
    }

    pub(super) fn asked(&self) -> Asked {
        let size = self.size as usize;
        match self.envelope {
            Some(start) => {
                let plain = const { Tag::plain(Overflow::Wait) };
                // SAFETY: W4.
                let tag = self.tag.map_or(plain, |tag| unsafe { tag.read() });
                Asked::Message(Bytes { start, size }, tag)
            }
            None => Asked::Slots(size),
        }
    }

    /// It waits no longer. Gives the waker, to be called or dropped without the lock.
    pub(super) fn settle(&mut self, phase: Phase) -> Option<Waker> {
        self.phase = phase;
        self.envelope = None;
        if let Some(tag) = self.tag.take() {
            // SAFETY: W4; it came from the pool with this layout.
            unsafe { pool::free(tag.cast(), Layout::new::<Tag>()) };
        }
        self.waker.take()
    }
}

impl Waiter {
    pub(crate) fn new() -> Self {
        Self {
            node: UnsafeCell::new(Node {
                prev: None,
                next: None,
                phase: Phase::Unsent,
                size: 0,
                envelope: None,
                tag: None,
                waker: None,
            }),
            _pinned: PhantomPinned,
        }
    }

    /// # Safety
    ///
    /// - The caller holds the lock of the mailbox that the node is used with (W1), and calls
    ///   nothing in `f` that reaches the same node.
    pub(super) unsafe fn with<R>(&self, f: impl FnOnce(&mut Node) -> R) -> R {
        // SAFETY: W1 and the caller.
        self.node.with_mut(|node| f(unsafe { &mut *node }))
    }
}

/// The line of waiters, first come first served.
pub(super) struct Line {
    first: Option<NonNull<Waiter>>,
    last: Option<NonNull<Waiter>>,
    len: usize,
}

// SAFETY: the line lives under the mailbox's lock, and waiters are `Sync`.
unsafe impl Send for Line {}

impl Line {
    pub(super) const fn new() -> Self {
        Self {
            first: None,
            last: None,
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn first(&self) -> Option<NonNull<Waiter>> {
        self.first
    }

    /// Appends a node.
    ///
    /// # Safety
    ///
    /// - The lock is held; the node is unlinked, pinned, and W3 will hold for it.
    pub(super) unsafe fn push(&mut self, waiter: NonNull<Waiter>) {
        let last = self.last.replace(waiter);
        // SAFETY: nodes in the line are alive (W3), and the lock is held.
        unsafe {
            waiter
                .as_ref()
                .with(|node| (node.prev, node.next) = (last, None));
            match last {
                Some(last) => last.as_ref().with(|node| node.next = Some(waiter)),
                None => self.first = Some(waiter),
            }
        }
        self.len += 1;
    }

    /// Takes the first node out.
    ///
    /// # Safety
    ///
    /// - The lock is held.
    pub(super) unsafe fn pop(&mut self) -> Option<NonNull<Waiter>> {
        let first = self.first?;
        // SAFETY: it stands in this line.
        unsafe { self.unlink(first) };
        Some(first)
    }

    /// Takes a node out.
    ///
    /// # Safety
    ///
    /// - The lock is held, and the node stands in this line.
    pub(super) unsafe fn unlink(&mut self, waiter: NonNull<Waiter>) {
        // SAFETY: nodes in the line are alive (W3), and the lock is held.
        unsafe {
            let (prev, next) = waiter
                .as_ref()
                .with(|node| (node.prev.take(), node.next.take()));
            match prev {
                Some(prev) => prev.as_ref().with(|node| node.next = next),
                None => self.first = next,
            }
            match next {
                Some(next) => next.as_ref().with(|node| node.prev = prev),
                None => self.last = prev,
            }
        }
        self.len -= 1;
    }
}
