//! Counts the allocations that each thread makes, and the bytes that are allocated in all, so that
//! tests can claim that there are none, or no more than before.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

static LIVE: AtomicIsize = AtomicIsize::new(0);

fn count(bytes: isize) {
    LIVE.fetch_add(bytes, Ordering::Relaxed);
    if bytes < 0 {
        return;
    }
    // A thread that is going away counts nothing.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize);
        LIVE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Allocations that this thread has made so far.
pub(crate) fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

/// Bytes that are allocated now, by all threads.
pub(crate) fn live_bytes() -> isize {
    LIVE.load(Ordering::Relaxed)
}
