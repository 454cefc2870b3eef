//! A FIFO of byte envelopes in chained blocks from the pool.
//!
//! # Invariants
//!
//! - **Q1.** Slots from `read` of the first block to `write` of the last hold envelopes; no other
//!   slot does. An empty queue holds no block, except the one that the last `pop` points into.
//! - **Q2.** Every slot is `stride` bytes, starts at a multiple of [`SLOT_ALIGN`], and an envelope
//!   is never larger than the stride.

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::limits::{MAILBOX_BLOCK_BYTES, SLOT_BYTES_MAX};
use crate::pool;

/// Alignment of every slot.
pub(crate) const SLOT_ALIGN: usize = 8;

#[repr(C, align(8))]
struct Block {
    next: Option<NonNull<Block>>,
}

const HEAD: usize = size_of::<Block>();
const LAYOUT: Layout = match Layout::from_size_align(MAILBOX_BLOCK_BYTES, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a block is a small power of two"),
};
const _: () = assert!(HEAD.is_multiple_of(SLOT_ALIGN));
const _: () = assert!(SLOT_BYTES_MAX.is_multiple_of(SLOT_ALIGN));
const _: () = assert!(HEAD + 2 * SLOT_BYTES_MAX <= MAILBOX_BLOCK_BYTES);

/// How a mailbox cuts its blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    bytes: u16,
    per_block: u16,
}

impl Stride {
    /// Slots of at least `bytes`.
    ///
    /// # Panics
    ///
    /// When that is zero or above [`SLOT_BYTES_MAX`].
    pub(crate) const fn new(bytes: usize) -> Self {
        assert!(
            bytes > 0 && bytes <= SLOT_BYTES_MAX,
            "a slot has 1 to SLOT_BYTES_MAX bytes"
        );
        let bytes = bytes.next_multiple_of(SLOT_ALIGN);
        Self {
            bytes: bytes as u16,
            per_block: ((MAILBOX_BLOCK_BYTES - HEAD) / bytes) as u16,
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        self.bytes as usize
    }
}

/// The queue. Envelopes left in it when it is dropped are leaked: whoever ends a mailbox takes
/// them out first.
#[derive(Debug)]
pub(crate) struct Queue {
    first: Option<NonNull<Block>>,
    last: Option<NonNull<Block>>,
    read: u16,
    write: u16,
}

// SAFETY: a queue owns its blocks; that what lies in them is `Send` is the pusher's promise.
unsafe impl Send for Queue {}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self {
            first: None,
            last: None,
            read: 0,
            write: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first == self.last && self.read == self.write
    }

    /// Moves an envelope of `size` bytes to the end.
    ///
    /// # Safety
    ///
    /// - `envelope` points to `size` initialised bytes, aligned to at most [`SLOT_ALIGN`], of a
    ///   value that is `Send` and that the caller does not touch again; `size` fits the stride.
    pub(crate) unsafe fn push(&mut self, stride: Stride, envelope: NonNull<u8>, size: usize) {
        debug_assert!(size <= stride.bytes());
        // SAFETY: `end` is a free slot; the caller for the rest.
        unsafe {
            self.end(stride).copy_from_nonoverlapping(envelope, size);
            self.advance();
        }
    }

    /// The free slot behind the last envelope, until the next call.
    #[inline]
    pub(crate) fn end(&mut self, stride: Stride) -> NonNull<u8> {
        let last = match self.last {
            Some(last) if self.write < stride.per_block => last,
            _ => self.grow(),
        };
        // SAFETY: Q2: slot `write` lies within the block; Q1: it is free.
        unsafe { slot(last, stride, self.write) }
    }

    /// Takes the slot that [`Queue::end`] gave in.
    ///
    /// # Safety
    ///
    /// - An envelope was moved there, as by [`Queue::push`].
    #[inline]
    pub(crate) unsafe fn advance(&mut self) {
        self.write += 1;
    }

    /// The first envelope; its place stays as it is until the next call. The caller moves the
    /// envelope out.
    #[inline]
    pub(crate) fn pop(&mut self, stride: Stride) -> Option<NonNull<u8>> {
        let first = self.first?;
        let end = match self.last == self.first {
            true => self.write,
            false => stride.per_block,
        };
        if self.read == end {
            return self.pop_next(first, stride);
        }
        // SAFETY: Q1, Q2: a slot between `read` and the end of the first block's envelopes.
        let slot = unsafe { slot(first, stride, self.read) };
        self.read += 1;
        Some(slot)
    }

    /// As `pop`, when all envelopes of the first block were moved out.
    #[cold]
    fn pop_next(&mut self, first: NonNull<Block>, stride: Stride) -> Option<NonNull<u8>> {
        // SAFETY: the first block is live.
        self.first = unsafe { first.as_ref() }.next;
        // SAFETY: the queue owned it, and it holds no envelope.
        unsafe { pool::free(first.cast(), LAYOUT) };
        self.read = 0;
        let Some(next) = self.first else {
            *self = Self::new();
            return None;
        };
        self.read = 1;
        // SAFETY: Q1: each block of a queue that is not the first has an envelope.
        Some(unsafe { slot(next, stride, 0) })
    }

    #[cold]
    fn grow(&mut self) -> NonNull<Block> {
        let block = pool::alloc(LAYOUT).cast::<Block>();
        // SAFETY: fresh memory, larger than the head.
        unsafe { block.write(Block { next: None }) };
        match self.last {
            // SAFETY: the last block is live and owned by the queue.
            Some(mut last) => unsafe { last.as_mut().next = Some(block) },
            None => {
                self.first = Some(block);
                self.read = 0;
            }
        }
        self.last = Some(block);
        self.write = 0;
        block
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut next = self.first;
        while let Some(block) = next {
            // SAFETY: the queue owns its chain of blocks.
            unsafe {
                next = block.as_ref().next;
                pool::free(block.cast(), LAYOUT);
            }
        }
    }
}

/// # Safety
///
/// - The block is live and `index` is below the stride's slots per block.
unsafe fn slot(block: NonNull<Block>, stride: Stride, index: u16) -> NonNull<u8> {
    debug_assert!(index < stride.per_block);
    // SAFETY: Q2 and the caller: within the block.
    unsafe {
        block
            .cast::<u8>()
            .add(HEAD + index as usize * stride.bytes())
    }
}
