//! How deep handlers run inside each other on this thread's stack, and whether one of them has a
//! deadline.

use std::cell::Cell;

use crate::limits::{INLINE_DEPTH, INLINE_STACK};

/// A mark on the depth. It makes it too deep for one more level, so that asks which have nothing to
/// inherit do not pay for a look.
const BARRED: u32 = 1 << 31;

struct Nesting {
    /// With BARRED, if set.
    depth: Cell<u32>,
    /// Where the stack was when the outermost began.
    base: Cell<usize>,
    /// Runs so far, to sample some.
    runs: Cell<u32>,
}

thread_local! {
    static NESTING: Nesting = const {
        Nesting {
            depth: Cell::new(0),
            base: Cell::new(0),
            runs: Cell::new(0),
        }
    };
}

/// One handler on this thread's stack, until it is dropped.
pub(super) struct Level {
    /// Which run of the thread it is.
    pub(super) tick: u32,
}

impl Level {
    /// One level more, unless there are too many, or too much of the stack is used.
    #[inline]
    pub(super) fn enter() -> Option<Self> {
        let here = 0_u8;
        let here = std::ptr::from_ref(&here).addr();
        NESTING.with(|nesting| {
            let depth = nesting.depth.get();
            if depth == 0 {
                nesting.base.set(here);
            } else if depth >= INLINE_DEPTH || nesting.base.get().abs_diff(here) > INLINE_STACK {
                return None;
            }
            nesting.depth.set(depth + 1);
            let tick = nesting.runs.get();
            nesting.runs.set(tick.wrapping_add(1));
            Some(Self { tick })
        })
    }
}

/// Puts the mark back as it was.
#[must_use = "the mark stands for as long as this does"]
pub(super) struct Mark(u32);

/// The handler that this thread polls has a deadline: what it asks shall look for that. No level
/// is entered while the result lives.
pub(super) fn bar() -> Mark {
    mark(BARRED)
}

/// It has none, or what it asks knows.
pub(super) fn unbar() -> Mark {
    mark(0)
}

fn mark(new: u32) -> Mark {
    NESTING.with(|nesting| {
        let depth = nesting.depth.get();
        nesting.depth.set(depth & !BARRED | new);
        Mark(depth & BARRED)
    })
}

impl Drop for Mark {
    fn drop(&mut self) {
        NESTING.with(|nesting| nesting.depth.set(nesting.depth.get() & !BARRED | self.0));
    }
}

/// Whether the handler that this thread polls may have a deadline. The mark may be that of a
/// handler around it, which drives another runtime.
#[inline]
pub(super) fn is_barred() -> bool {
    NESTING.with(|nesting| nesting.depth.get() & BARRED != 0)
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        NESTING.with(|nesting| nesting.depth.set(nesting.depth.get() - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, bar, is_barred, unbar};
    use crate::limits::{INLINE_DEPTH, INLINE_STACK};

    #[test]
    fn as_many_levels_fit_as_the_limit_says_and_come_free_again() {
        let levels: Vec<_> = std::iter::from_fn(Level::enter).collect();
        assert_eq!(levels.len(), INLINE_DEPTH as usize);
        drop(levels);
        assert!(Level::enter().is_some());
    }

    #[test]
    fn no_level_is_entered_while_there_is_a_deadline_and_the_depth_is_kept() {
        let outer = Level::enter();
        let barred = bar();
        assert!(is_barred() && Level::enter().is_none());
        drop(outer);
        assert!(is_barred() && Level::enter().is_none());
        let unbarred = unbar();
        assert!(Level::enter().is_some());
        drop(unbarred);
        assert!(is_barred() && Level::enter().is_none());
        drop(barred);
        let levels: Vec<_> = std::iter::from_fn(Level::enter).collect();
        assert_eq!(levels.len(), INLINE_DEPTH as usize);
    }

    #[test]
    fn a_level_far_down_the_stack_does_not_fit() {
        #[inline(never)]
        fn further_down() -> bool {
            let used = [0_u8; INLINE_STACK];
            std::hint::black_box(&used);
            Level::enter().is_some()
        }
        let _outermost = Level::enter();
        assert!(!further_down());
    }
}
