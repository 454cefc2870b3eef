//! Blocks of memory that come and go with messages: queue blocks, reply slots, handler futures
//! and boxed messages.
//!
//! Requests are rounded up to a size class. Each thread keeps a bounded stack of free blocks per
//! class, and all threads share one bounded stack behind it, so that a thread that only frees
//! feeds a thread that only allocates. What exceeds the bounds goes to the system allocator.
//!
//! # Invariants
//!
//! - **P1.** A block of class `c` was allocated from the system with `layout_of(c)`, and only
//!   `class_of(layout)` decides the class, so `free` with the layout of `alloc` finds it again.

use std::alloc::{self, Layout};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::{POOL_SHARED_BYTES, POOL_THREAD_BYTES};

/// Alignment of every pooled block.
const ALIGN: usize = 16;
/// The smallest class holds `1 << MIN_SHIFT` bytes.
const MIN_SHIFT: u32 = 6;
/// 64 bytes to 16 KiB.
const CLASSES: usize = 9;

/// The class that serves a layout, if one does.
#[inline(always)]
const fn class_of(layout: Layout) -> Option<usize> {
    let most = 1 << (MIN_SHIFT as usize + CLASSES - 1);
    if layout.align() > ALIGN || layout.size() > most || layout.size() == 0 {
        return None;
    }
    let bits = layout.size().next_power_of_two().trailing_zeros();
    Some(bits.saturating_sub(MIN_SHIFT) as usize)
}

const fn size_of_class(class: usize) -> usize {
    1 << (MIN_SHIFT as usize + class)
}

fn layout_of(class: usize) -> Layout {
    Layout::from_size_align(size_of_class(class), ALIGN).expect("classes are small powers of two")
}

/// A free block; owned by the stack that holds it.
struct Block(NonNull<u8>);

// SAFETY: a free block is plain memory that nobody else points to.
unsafe impl Send for Block {}

impl Block {
    fn from_system(layout: Layout) -> NonNull<u8> {
        // SAFETY: every caller's layout has a size above zero: classes do, and `alloc` checks.
        let raw = unsafe { alloc::alloc(layout) };
        NonNull::new(raw).unwrap_or_else(|| alloc::handle_alloc_error(layout))
    }

    fn into_system(self, class: usize) {
        // SAFETY: P1.
        unsafe { alloc::dealloc(self.0.as_ptr(), layout_of(class)) }
    }
}

/// Free blocks of one class that all threads share.
static SHARED: [Mutex<Vec<Block>>; CLASSES] = [const { Mutex::new(Vec::new()) }; CLASSES];

/// No code that can panic runs under these locks.
fn shared(class: usize) -> MutexGuard<'static, Vec<Block>> {
    SHARED[class].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Free blocks of one thread.
struct Cache([Vec<Block>; CLASSES]);

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new(Cache([const { Vec::new() }; CLASSES])) };
}

impl Cache {
    const fn capacity(class: usize) -> usize {
        POOL_THREAD_BYTES / size_of_class(class)
    }

    /// The stack of a class, with room for all that it may hold from its first use on: what comes
    /// later allocates nothing.
    fn stack(&mut self, class: usize) -> &mut Vec<Block> {
        let stack = &mut self.0[class];
        if stack.capacity() == 0 {
            stack.reserve_exact(Self::capacity(class));
        }
        stack
    }

    /// A block of an empty stack: from those that all threads share.
    #[cold]
    fn refill(&mut self, class: usize) -> Option<Block> {
        let stack = self.stack(class);
        let mut shared = shared(class);
        let wanted = (Self::capacity(class) / 2).max(1).min(shared.len());
        let rest = shared.len() - wanted;
        stack.extend(shared.drain(rest..));
        stack.pop()
    }

    /// Puts a block onto a full stack, or one that was never used.
    #[cold]
    fn put(&mut self, class: usize, block: Block) {
        let stack = self.stack(class);
        if stack.len() >= Self::capacity(class) {
            share(class, stack, Self::capacity(class) / 2);
        }
        stack.push(block);
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        for (class, stack) in self.0.iter_mut().enumerate() {
            share(class, stack, 0);
        }
    }
}

/// Moves all but `keep` blocks to the shared stack, and what it can't hold to the system.
fn share(class: usize, stack: &mut Vec<Block>, keep: usize) {
    {
        let mut shared = shared(class);
        let most = POOL_SHARED_BYTES / size_of_class(class);
        if shared.capacity() == 0 {
            shared.reserve_exact(most);
        }
        let free = most.saturating_sub(shared.len());
        let moved = free.min(stack.len() - keep);
        shared.extend(stack.drain(stack.len() - moved..));
    }
    for block in stack.drain(keep..) {
        block.into_system(class);
    }
}

/// Memory for `layout`, uninitialised. Ends the process when there is none, as `Box` does.
#[inline]
pub(crate) fn alloc(layout: Layout) -> NonNull<u8> {
    if let Some(class) = class_of(layout)
        && let Ok(Some(block)) = CACHE.try_with(|cache| cache.borrow_mut().0[class].pop())
    {
        return block.0;
    }
    alloc_slowly(layout)
}

#[cold]
fn alloc_slowly(layout: Layout) -> NonNull<u8> {
    if layout.size() == 0 {
        let dangling = std::ptr::without_provenance_mut(layout.align());
        return NonNull::new(dangling).expect("alignments are not zero");
    }
    let Some(class) = class_of(layout) else {
        return Block::from_system(layout);
    };
    // A thread whose cache is gone already asks the system.
    let cached = CACHE
        .try_with(|cache| cache.borrow_mut().refill(class))
        .ok()
        .flatten();
    cached.map_or_else(|| Block::from_system(layout_of(class)), |block| block.0)
}

/// Gives memory back.
///
/// # Safety
///
/// - `memory` came from [`alloc`] with the same `layout` and is not used again.
#[inline]
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    if let Some(class) = class_of(layout) {
        let kept = CACHE.try_with(|cache| {
            let stack = &mut cache.borrow_mut().0[class];
            let has_room = stack.len() < stack.capacity();
            if has_room {
                stack.push(Block(memory));
            }
            has_room
        });
        if kept == Ok(true) {
            return;
        }
    }
    // SAFETY: the caller.
    unsafe { free_slowly(memory, layout) }
}

/// # Safety
///
/// - As [`free`].
#[cold]
unsafe fn free_slowly(memory: NonNull<u8>, layout: Layout) {
    if layout.size() == 0 {
        return;
    }
    let Some(class) = class_of(layout) else {
        // SAFETY: layouts without a class came from the system as they are.
        return unsafe { alloc::dealloc(memory.as_ptr(), layout) };
    };
    let mut block = Some(Block(memory));
    let _ = CACHE.try_with(|cache| {
        if let Some(block) = block.take() {
            cache.borrow_mut().put(class, block);
        }
    });
    if let Some(block) = block {
        block.into_system(class);
    }
}

/// A `Box` whose memory comes from the pool.
pub(crate) struct PoolBox<T>(NonNull<T>);

// SAFETY: it owns its value as a `Box` does.
unsafe impl<T: Send> Send for PoolBox<T> {}

impl<T> PoolBox<T> {
    pub(crate) fn new(value: T) -> Self {
        let place = alloc(Layout::new::<T>()).cast::<T>();
        // SAFETY: `place` is fresh memory of T's layout.
        unsafe { place.write(value) };
        Self(place)
    }

    pub(crate) fn into_inner(self) -> T {
        let place = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the box owned an initialised value; its memory is given back once.
        unsafe {
            let value = place.read();
            free(place.cast(), Layout::new::<T>());
            value
        }
    }
}

impl<T> Deref for PoolBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the box owns an initialised value.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for PoolBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the box owns an initialised value, and is borrowed as a whole.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for PoolBox<T> {
    fn drop(&mut self) {
        /// Gives the memory back even if the value's own drop panics.
        struct Memory<T>(NonNull<T>);
        impl<T> Drop for Memory<T> {
            fn drop(&mut self) {
                // SAFETY: the value was dropped just before, or its drop is unwinding.
                unsafe { free(self.0.cast(), Layout::new::<T>()) }
            }
        }
        let memory = Memory(self.0);
        // SAFETY: the box owns an initialised value, dropped once.
        unsafe { memory.0.drop_in_place() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_is_handed_out_again() {
        let layout = Layout::from_size_align(100, 8).unwrap();
        let first = alloc(layout);
        // SAFETY: just allocated with this layout.
        unsafe { free(first, layout) };
        let second = alloc(layout);
        assert_eq!(first, second);
        // SAFETY: as above.
        unsafe { free(second, layout) };
    }

    #[test]
    fn classes_cover_their_sizes() {
        for size in [1, 63, 64, 65, 128, 1000, 16384] {
            let layout = Layout::from_size_align(size, 16).unwrap();
            let class = class_of(layout).unwrap();
            assert!(size_of_class(class) >= size);
            assert!(class == 0 || size_of_class(class - 1) < size);
        }
        assert_eq!(class_of(Layout::from_size_align(16385, 8).unwrap()), None);
        assert_eq!(class_of(Layout::from_size_align(64, 32).unwrap()), None);
    }

    #[test]
    fn a_thread_keeps_no_more_than_its_bound() {
        let layout = Layout::from_size_align(4096, 8).unwrap();
        let blocks: Vec<_> = (0..64).map(|_| alloc(layout)).collect();
        for block in blocks {
            // SAFETY: allocated above with this layout.
            unsafe { free(block, layout) };
        }
        let class = class_of(layout).unwrap();
        CACHE.with(|cache| assert!(cache.borrow().0[class].len() <= Cache::capacity(class)));
        assert!(shared(class).len() <= POOL_SHARED_BYTES / size_of_class(class));
    }

    #[test]
    fn a_boxed_value_comes_back_whole_and_is_dropped_once() {
        assert_eq!(PoolBox::new([7_u64; 40]).into_inner(), [7; 40]);
        let counted = std::sync::Arc::new(());
        drop(PoolBox::new(std::sync::Arc::clone(&counted)));
        assert_eq!(std::sync::Arc::strong_count(&counted), 1);
    }
}
