//! The annex's messages: nodes from the pool, linked into lists.
//!
//! # Invariants
//!
//! - **N1.** A node in a list is alive, and reached only under the lock of its mailbox. Whoever
//!   takes it out of its lane has it for himself.
//! - **N2.** From its making until it is taken out, a node holds an envelope behind its head, in a
//!   slot of the mailbox's stride.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::queue::{SLOT_ALIGN, Stride};
use super::tag::{Overflow, Tag};
use super::{Bytes, Lane};
use crate::pool;

/// The list of a lane, in the order of acceptance.
pub(super) const BY_LANE: usize = 0;
/// The list of those that may be dropped, the oldest first.
pub(super) const BY_AGE: usize = 1;

#[derive(Clone, Copy, Default)]
struct Links {
    prev: Option<NonNull<Node>>,
    next: Option<NonNull<Node>>,
}

/// The head of a node.
#[repr(C, align(8))]
pub(super) struct Node {
    links: [Links; 2],
    /// In two halves, for its alignment.
    key: [u64; 2],
    pub(super) bytes: usize,
    /// Of the slot.
    room: u16,
    pub(super) lane: Lane,
    overflow: Overflow,
    /// Whether it holds a slot: a notice does not.
    holds_slot: bool,
}

const HEAD: usize = size_of::<Node>();
const _: () = assert!(HEAD.is_multiple_of(SLOT_ALIGN));

fn layout(room: usize) -> Layout {
    Layout::from_size_align(HEAD + room, SLOT_ALIGN).expect("a slot is small")
}

impl Node {
    /// Makes a node with an envelope.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push).
    pub(super) unsafe fn make(
        stride: Stride,
        envelope: Bytes,
        tag: &Tag,
        bytes: usize,
        holds_slot: bool,
    ) -> NonNull<Self> {
        debug_assert!(envelope.size <= stride.bytes());
        let node = pool::alloc(layout(stride.bytes())).cast::<Self>();
        let head = Self {
            links: [Links::default(); 2],
            key: [tag.key as u64, (tag.key >> 64) as u64],
            bytes,
            room: stride.bytes() as u16,
            lane: tag.lane,
            overflow: tag.overflow,
            holds_slot,
        };
        // SAFETY: fresh memory of a head and a slot; the caller for the envelope.
        unsafe {
            node.write(head);
            slot(node).copy_from_nonoverlapping(envelope.start, envelope.size);
        }
        node
    }

    /// Whether another message may have it dropped.
    pub(super) fn may_go(&self) -> bool {
        self.overflow == Overflow::DropOldest
    }

    /// The key by which it is replaced.
    pub(super) fn key(&self) -> Option<u128> {
        let key = u128::from(self.key[0]) | u128::from(self.key[1]) << 64;
        (self.overflow == Overflow::Latest).then_some(key)
    }
}

/// # Safety
///
/// - The node is alive.
unsafe fn slot(node: NonNull<Node>) -> NonNull<u8> {
    // SAFETY: N2: the slot lies behind the head, in one allocation.
    unsafe { node.cast::<u8>().add(HEAD) }
}

/// A node that was taken out. Its memory goes when it is dropped, and its envelope has been moved
/// out by then.
pub(super) struct Loose(NonNull<Node>);

impl Loose {
    /// # Safety
    ///
    /// - The node is in no list (N1), and known to nobody else.
    pub(super) unsafe fn new(node: NonNull<Node>) -> Self {
        Self(node)
    }

    /// Where its envelope is.
    pub(super) fn slot(&self) -> NonNull<u8> {
        // SAFETY: it is owned.
        unsafe { slot(self.0) }
    }

    pub(super) fn holds_slot(&self) -> bool {
        // SAFETY: it is owned.
        unsafe { self.0.as_ref() }.holds_slot
    }

    pub(super) fn into_node(self) -> NonNull<Node> {
        std::mem::ManuallyDrop::new(self).0
    }
}

impl Drop for Loose {
    fn drop(&mut self) {
        // SAFETY: `make` took it from the pool with this layout.
        unsafe {
            let room = self.0.as_ref().room;
            pool::free(self.0.cast(), layout(room.into()));
        }
    }
}

/// A list of nodes, by one of their links.
pub(super) struct List<const BY: usize> {
    first: Option<NonNull<Node>>,
    last: Option<NonNull<Node>>,
}

impl<const BY: usize> List<BY> {
    pub(super) const fn new() -> Self {
        Self {
            first: None,
            last: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn first(&self) -> Option<NonNull<Node>> {
        self.first
    }

    /// Appends a node.
    ///
    /// # Safety
    ///
    /// - The lock is held, if others know the list; the node is alive, and in no list by this link.
    pub(super) unsafe fn push(&mut self, mut node: NonNull<Node>) {
        let prev = self.last.replace(node);
        // SAFETY: N1.
        unsafe {
            node.as_mut().links[BY] = Links { prev, next: None };
            match prev {
                Some(mut prev) => prev.as_mut().links[BY].next = Some(node),
                None => self.first = Some(node),
            }
        }
    }

    /// Takes a node out.
    ///
    /// # Safety
    ///
    /// - The lock is held, if others know the list, in which the node stands.
    pub(super) unsafe fn unlink(&mut self, mut node: NonNull<Node>) {
        // SAFETY: N1, and the neighbours of a node are in its list.
        unsafe {
            let Links { prev, next } = std::mem::take(&mut node.as_mut().links[BY]);
            match prev {
                Some(mut prev) => prev.as_mut().links[BY].next = next,
                None => self.first = next,
            }
            match next {
                Some(mut next) => next.as_mut().links[BY].prev = prev,
                None => self.last = prev,
            }
        }
    }

    /// Takes the first node out.
    ///
    /// # Safety
    ///
    /// - The lock is held, if others know the list.
    pub(super) unsafe fn pop(&mut self) -> Option<NonNull<Node>> {
        let first = self.first?;
        // SAFETY: it stands in this list.
        unsafe { self.unlink(first) };
        Some(first)
    }
}
