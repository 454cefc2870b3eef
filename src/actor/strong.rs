//! A strong reference to a cell: what keeps an actor running.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use super::cell::{Cause, Head, close, lend};
use crate::task::Unit;

/// One of the handles that keep an actor running. The last to go stops it.
pub(crate) struct Strong(NonNull<Head>);

// SAFETY: what it reaches is `Head`, whose fields are atomics, immutable, locked, or behind the
// run right (C1), which a handle does not have.
unsafe impl Send for Strong {}
// SAFETY: as above.
unsafe impl Sync for Strong {}

impl Strong {
    /// The first handle of a cell; later also the handle that an ended or draining actor makes of
    /// itself. The count lent is held during the call.
    ///
    /// # Safety
    ///
    /// - A count of the cell is held during the call.
    pub(super) unsafe fn new(head: NonNull<Head>) -> Self {
        // SAFETY: the caller.
        let cell = unsafe { head.as_ref() };
        // Ordering: Relaxed; a count is held, as for any new reference.
        if cell.handles.fetch_add(1, Ordering::Relaxed) == 0 {
            // C5: the group of handles begins (again) and takes its count.
            cell.state().retain();
        }
        Self(head)
    }

    /// A handle, if others exist.
    ///
    /// # Safety
    ///
    /// - A count of the cell is held during the call.
    pub(super) unsafe fn upgrade(head: NonNull<Head>) -> Option<Self> {
        // SAFETY: the caller.
        let cell = unsafe { head.as_ref() };
        // Ordering: Acquire; pairs with the Release of a handle's drop. Zero stays zero here, so
        // either this joins the group before its last goes, or there is none to join.
        cell.handles
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |n| {
                (n > 0).then_some(n + 1)
            })
            .ok()
            .map(|_| Self(head))
    }

    pub(super) fn head(&self) -> &Head {
        // SAFETY: C5: the group of handles holds a count.
        unsafe { self.0.as_ref() }
    }

    /// A count of the cell, lent for as long as this handle is borrowed.
    pub(super) fn unit(&self) -> ManuallyDrop<Unit> {
        // SAFETY: C5.
        unsafe { lend(self.0) }
    }

    /// Closes the mailbox.
    pub(super) fn close(&self, cause: Cause) {
        // SAFETY: C5.
        unsafe { close(self.0, cause) }
    }
}

impl Clone for Strong {
    fn clone(&self) -> Self {
        // Ordering: Relaxed; a new handle is made from one that exists.
        let old = self.head().handles.fetch_add(1, Ordering::Relaxed);
        if old > usize::MAX / 2 {
            // A count that wraps would free a live cell, and a panic could be caught and repeated.
            std::process::abort();
        }
        Self(self.0)
    }
}

impl Drop for Strong {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire fence of the last.
        if self.head().handles.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
        // SAFETY: C5: the last handle ends the group, whose count is dropped at the end of this
        // scope, after the mailbox was closed.
        let _group = unsafe {
            close(self.0, Cause::Dropped);
            Unit::from_raw(self.0.cast())
        };
    }
}

impl PartialEq for Strong {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
