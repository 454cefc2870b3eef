//! A strong reference to a cell: what keeps an actor running.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use super::cause::{Cause, close};
use super::cell::{Head, lend};
use crate::task::Unit;

/// One of the handles that keep an actor running. The last to go stops it.
pub(crate) struct Strong(NonNull<Head>);

// SAFETY: what it reaches is `Head`, whose fields are atomics, immutable, locked, or behind the
// run right (C1), which a handle does not have.
unsafe impl Send for Strong {}
// SAFETY: as above.
unsafe impl Sync for Strong {}

/// Set once the last handle has gone: what an actor makes of itself later is upgraded by nobody.
const GONE: usize = 1;
/// One handle.
const HANDLE: usize = 2;

/// Passes on a count to which one was added, unless it is near its end: a count that wraps would
/// free a live cell, and a panic could be caught and repeated.
fn check(old: usize) -> usize {
    if old > usize::MAX / 2 {
        std::process::abort();
    }
    old
}

/// The handles of a cell.
#[derive(Debug)]
pub(super) struct Handles(AtomicUsize);

impl Handles {
    pub(super) fn one() -> Self {
        Self(AtomicUsize::new(HANDLE))
    }

    pub(super) fn count(&self) -> usize {
        // Ordering: Relaxed; a number that may be old when it is read.
        self.0.load(Ordering::Relaxed) / HANDLE
    }

    /// Adds one to those that are there.
    fn add(&self) {
        // Ordering: Relaxed; a new handle is made from one that exists.
        check(self.0.fetch_add(HANDLE, Ordering::Relaxed));
    }

    /// Adds the first of another group. False if others are there, and it is one of them.
    fn begin(&self) -> bool {
        let add = |n: usize| Some((n + HANDLE) | if n < HANDLE { GONE } else { 0 });
        // Ordering: Relaxed; the caller holds a count of the cell.
        let old = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        old.is_ok_and(|old| check(old) < HANDLE)
    }

    /// Adds one, if others are there and none was ever the last.
    fn join(&self) -> bool {
        let add = |n: usize| (n >= HANDLE && n & GONE == 0).then_some(n + HANDLE);
        // Ordering: Acquire; pairs with the Release of a handle's drop. Either this joins the
        // group before its last goes, or there is none to join.
        self.0
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, add)
            .is_ok_and(|old| check(old) >= HANDLE)
    }

    /// Takes one away; true for the last of its group.
    fn remove(&self) -> bool {
        // Ordering: Release; pairs with the Acquire fence of the last.
        if self.0.fetch_sub(HANDLE, Ordering::Release) / HANDLE != 1 {
            return false;
        }
        fence(Ordering::Acquire);
        true
    }
}

impl Strong {
    /// The first handle of a cell, which was counted when that was made (C5).
    ///
    /// # Safety
    ///
    /// - The unit is what [`create`](super::cell::create) gave.
    pub(super) unsafe fn first(unit: Unit) -> Self {
        Self(unit.into_raw().cast())
    }

    /// A handle that an actor makes of itself, perhaps when all others have gone.
    ///
    /// # Safety
    ///
    /// - A count of the cell is held during the call.
    pub(super) unsafe fn of_itself(head: NonNull<Head>) -> Self {
        // SAFETY: the caller.
        let cell = unsafe { head.as_ref() };
        if cell.handles.begin() {
            // C5: the group of handles begins again and takes its count.
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
        cell.handles.join().then(|| Self(head))
    }

    /// What reaches an actor as a handle does, and keeps it from nothing.
    ///
    /// # Safety
    ///
    /// - The unit is a cell's. The result is not cloned.
    pub(super) unsafe fn lent(unit: &Unit) -> Lent<'_> {
        // C5: it is no handle: it is never dropped, and the unit's count keeps the cell.
        Lent(ManuallyDrop::new(Self(unit.as_raw().cast())), PhantomData)
    }

    #[inline]
    pub(super) fn head(&self) -> &Head {
        // SAFETY: C5: the group of handles holds a count.
        unsafe { self.0.as_ref() }
    }

    /// The cell, while this handle lives.
    #[inline]
    pub(super) fn raw(&self) -> NonNull<Head> {
        self.0
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

/// See [`Strong::lent`].
pub(super) struct Lent<'a>(ManuallyDrop<Strong>, PhantomData<&'a Unit>);

impl Deref for Lent<'_> {
    type Target = Strong;

    fn deref(&self) -> &Strong {
        &self.0
    }
}

impl Clone for Strong {
    fn clone(&self) -> Self {
        self.head().handles.add();
        Self(self.0)
    }
}

impl Drop for Strong {
    fn drop(&mut self) {
        if !self.head().handles.remove() {
            return;
        }
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
