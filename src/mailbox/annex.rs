//! What the plain queue can't hold: lanes, weights, keys, notices; and the counts of it.
//!
//! It is made when it is first needed, and lies under the mailbox's lock.
//!
//! # Invariants
//!
//! - **A1.** Each node of it stands in the list of its lane; in `ages` too, if it may be dropped;
//!   in `keys` under its key, if it has one. No two have the same key.
//! - **A2.** `bytes` is the sum over its nodes, and never above `bytes_max`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr::NonNull;

use super::Bytes;
use super::node::{BY_AGE, BY_LANE, List, Loose, Node};
use super::queue::Stride;
use super::tag::{Lane, Tag};
use crate::limits::{BACKGROUND_MESSAGES, KEYS_KEPT, URGENT_IN_A_ROW};

/// Keys are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

pub(super) struct Annex {
    lanes: [List<BY_LANE>; 4],
    ages: List<BY_AGE>,
    keys: HashMap<u128, NonNull<Node>, BuildHasherDefault<Hashed>>,
    /// How many of its messages may be dropped, and their bytes.
    pub(super) may_go: (usize, usize),
    /// What the consumer took last.
    desk: Option<Loose>,
    pub(super) bytes: usize,
    bytes_max: Option<usize>,
    /// Slots that are held without a message.
    pub(super) reserved: usize,
    pub(super) dropped: u64,
    /// Urgent messages taken in a row while others waited.
    urgent_run: u32,
    /// Messages taken since a background one waits, or the last one was taken.
    passed: u32,
    /// What the consumer had given back at the last turn.
    consumed: usize,
}

// SAFETY: it owns its nodes (N1); that what lies in them is `Send` is the pusher's promise.
unsafe impl Send for Annex {}

impl Annex {
    pub(super) fn new(bytes_max: Option<usize>) -> Self {
        Self {
            lanes: [const { List::new() }; 4],
            ages: List::new(),
            keys: HashMap::default(),
            may_go: (0, 0),
            desk: None,
            bytes: 0,
            bytes_max,
            reserved: 0,
            dropped: 0,
            urgent_run: 0,
            passed: 0,
            consumed: 0,
        }
    }

    #[cfg(all(test, not(greenroom_loom)))]
    pub(super) fn keys_capacity(&self) -> usize {
        self.keys.capacity()
    }

    pub(super) fn waits(&self, lane: Lane) -> bool {
        !self.lanes[lane as usize].is_empty()
    }

    /// What a message counts: nothing without a bound, and no more than the bound.
    pub(super) fn weight(&self, tag: &Tag) -> usize {
        self.bytes_max.map_or(0, |most| tag.bytes.min(most))
    }

    /// Whether so many bytes more fit, once so many have gone.
    pub(super) fn takes(&self, bytes: usize, gone: usize) -> bool {
        let most = self.bytes_max.unwrap_or(usize::MAX);
        bytes == 0 || most - (self.bytes - gone) >= bytes
    }

    /// The bytes of the message that this one replaces.
    pub(super) fn leaves(&self, tag: &Tag) -> usize {
        let old = self.replaced(tag);
        // SAFETY: N1: it stands in the annex, and the lock is held.
        old.map_or(0, |node| unsafe { node.as_ref() }.bytes)
    }

    /// The message that this one replaces.
    pub(super) fn replaced(&self, tag: &Tag) -> Option<NonNull<Node>> {
        self.keys.get(&tag.replaces()?).copied()
    }

    /// The oldest message that may be dropped.
    pub(super) fn oldest(&self) -> Option<NonNull<Node>> {
        self.ages.first()
    }

    /// Moves an envelope in, at the end of its lane.
    ///
    /// # Safety
    ///
    /// - As [`Queue::push`](super::Queue::push); the lock is held, and no message has its key (A1).
    pub(super) unsafe fn push(
        &mut self,
        stride: Stride,
        envelope: Bytes,
        tag: &Tag,
        holds_slot: bool,
    ) {
        let bytes = self.weight(tag);
        // SAFETY: the caller; a new node is in no list.
        unsafe {
            let node = Node::make(stride, envelope, tag, bytes, holds_slot);
            self.lanes[tag.lane as usize].push(node);
            if node.as_ref().may_go() {
                self.ages.push(node);
                self.may_go.0 += 1;
                self.may_go.1 += bytes;
            }
            if let Some(key) = tag.replaces() {
                let old = self.keys.insert(key, node);
                debug_assert!(old.is_none());
            }
        }
        self.bytes += bytes;
    }

    /// Takes a message out.
    ///
    /// # Safety
    ///
    /// - The lock is held; the node stands in this annex.
    pub(super) unsafe fn take(&mut self, node: NonNull<Node>) -> Loose {
        // SAFETY: A1 says in which lists it stands; then it is in none.
        unsafe {
            let head = node.as_ref();
            // `unlink` makes a `&mut` of the node: nothing of `head` is read after.
            let (lane, bytes, key, may_go) = (head.lane, head.bytes, head.key(), head.may_go());
            self.bytes -= bytes;
            if let Some(key) = key {
                self.keys.remove(&key);
            }
            if may_go {
                self.ages.unlink(node);
                self.may_go.0 -= 1;
                self.may_go.1 -= bytes;
            }
            self.lanes[lane as usize].unlink(node);
            if lane == Lane::Background && !self.waits(Lane::Background) {
                self.passed = 0;
            }
            Loose::new(node)
        }
    }

    /// Takes the first message of a lane, in which one waits. Gives where its envelope is, until
    /// the next is taken, and whether it holds a slot.
    ///
    /// # Safety
    ///
    /// - The lock is held, by the consumer; the envelope that was taken before has been moved out.
    pub(super) unsafe fn take_first(&mut self, lane: Lane) -> (NonNull<u8>, bool) {
        let first = self.lanes[lane as usize].first();
        // SAFETY: it stands in this annex.
        let message = unsafe { self.take(first.expect("a message waits in the lane")) };
        let taken = self.desk.insert(message);
        (taken.slot(), taken.holds_slot())
    }

    /// Gives up the memory of the message that was taken last.
    ///
    /// # Safety
    ///
    /// - As [`Annex::take_first`].
    pub(super) unsafe fn clear_desk(&mut self) {
        self.desk = None;
        if self.keys.is_empty() && self.keys.capacity() > KEYS_KEPT {
            self.keys = HashMap::default();
        }
    }

    /// The lane whose turn it is, of those in which messages wait; `normal` says whether one does
    /// in the normal lane, and `consumed` how many were given back so far.
    pub(super) fn turn(&mut self, normal: bool, consumed: usize) -> Option<Lane> {
        // Normal messages of a batch are taken without asking: then more were given back than the
        // one of the last turn.
        if consumed.wrapping_sub(self.consumed) > 1 {
            self.urgent_run = 0;
        }
        self.consumed = consumed;
        if self.waits(Lane::Returned) {
            return Some(Lane::Returned);
        }
        let (urgent, background) = (self.waits(Lane::Urgent), self.waits(Lane::Background));
        let is_due = background && self.passed + 1 >= BACKGROUND_MESSAGES;
        let lane = if is_due {
            Lane::Background
        } else if urgent && (self.urgent_run < URGENT_IN_A_ROW || !(normal || background)) {
            Lane::Urgent
        } else if normal {
            Lane::Normal
        } else if background {
            Lane::Background
        } else {
            return None;
        };
        self.urgent_run = match lane {
            Lane::Urgent if normal || background => self.urgent_run + 1,
            _ => 0,
        };
        self.passed = match lane {
            Lane::Normal | Lane::Urgent if background => self.passed + 1,
            _ => 0,
        };
        Some(lane)
    }
}

impl Drop for Annex {
    fn drop(&mut self) {
        for lane in &mut self.lanes {
            // SAFETY: nobody else knows the list any more. As with a queue, envelopes leak: whoever
            // ends a mailbox takes them out first.
            while let Some(node) = unsafe { lane.pop() } {
                // SAFETY: it is in no lane, and no other list is used again.
                drop(unsafe { Loose::new(node) });
            }
        }
    }
}
