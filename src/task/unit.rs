//! The unit: what the scheduler schedules. A task and an actor cell are units.
//!
//! A unit is one allocation that starts with a [`Header`]. The scheduler, the owned list and
//! wakers know only the header; the kind behind it is reached through its [`Vtable`].
//!
//! # Invariants
//!
//! - **U1 (place).** The allocation never moves, and `NonNull<Header>` was derived from the whole
//!   allocation, so it may be cast back to the kind's full type.
//! - **U2 (counted).** Each [`Unit`], each [`Waker`], each entry of the owned list and each of the
//!   kind's own references (join handle, actor handles as a group) holds one count of
//!   [`State`]; the allocation is disposed of when the last goes.
//! - **U3 (queued once).** At most one [`Unit`] of an allocation stands in the run queues: only
//!   the transition that sets SCHEDULED on an idle unit, or ends a run with it set, makes
//!   one. `next` belongs to the queue that holds it.
//! - **U4 (run right).** Only the holder of RUNNING touches what the kind keeps for it.

use std::mem::ManuallyDrop;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::current::{self, Entered};
#[cfg(not(greenroom_loom))]
use super::extensions::Extensions;
use super::loss::{Loss, Observer};
use super::state::{Notify, State};
use crate::id::Id;
use crate::sync::UnsafeCell;

/// The seam between units and whoever runs them.
pub(crate) trait Schedule: Send + Sync + 'static {
    /// Takes a unit that became runnable.
    fn schedule(&self, unit: Unit);

    /// Takes a unit that was notified while it ran: it goes behind what waits already.
    fn schedule_yielded(&self, unit: Unit);

    /// Takes a background unit that became runnable, or that was notified while it ran.
    fn schedule_background(&self, unit: Unit);

    /// Takes a unit that became runnable and is in no hurry: nobody is woken for it.
    fn schedule_calmly(&self, unit: Unit) {
        self.schedule(unit);
    }

    /// Takes a unit that was notified while it ran inside another, which goes on: so another
    /// worker is needed.
    fn schedule_lent(&self, unit: Unit) {
        self.schedule_yielded(unit);
    }

    /// Removes the unit from the owned list and gives back the list's count, if it was there.
    fn unbind(&self, header: &Header) -> Option<Unit>;

    /// Whether a unit may run inside what this thread polls now, past the run queues.
    fn lend(&self) -> Lend {
        Lend::Refused
    }

    /// Whether what this thread polls now is of the units' own runtime: a unit may drive another.
    fn is_around(&self) -> bool {
        true
    }

    /// Counts a message or a reply that nobody got.
    fn count_loss(&self, _loss: Loss) {}

    /// Who hears of messages that were not delivered, if anyone does.
    fn observer(&self) -> Option<&Observer> {
        None
    }

    /// Whether a panic in an actor is to end the process.
    fn aborts_on_panic(&self) -> bool {
        false
    }

    /// What floors above keep for this scheduler; none in what stands for one in tests.
    #[cfg(not(greenroom_loom))]
    fn extensions(&self) -> Option<&Extensions> {
        None
    }
}

/// What a scheduler says of a run past its queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lend {
    /// The thread is not in the scheduler's runtime.
    Refused,
    Granted,
    /// Granted by a draw that repeats; no clock may have a say in it.
    Drawn,
}

/// What differs between kinds of units.
pub(crate) struct Vtable {
    /// Runs one activation. Consumes the count of the `Unit` it was called through.
    ///
    /// # Safety
    ///
    /// - The header is of this vtable's kind, and SCHEDULED was set by whoever queued it.
    pub(crate) run: unsafe fn(NonNull<Header>),
    /// Frees the allocation.
    ///
    /// # Safety
    ///
    /// - The header is of this vtable's kind and its last count has gone.
    pub(crate) dispose: unsafe fn(NonNull<Header>),
    /// The name that the unit was given. It lives as long as the allocation, unchanged.
    ///
    /// # Safety
    ///
    /// - The header is of this vtable's kind, and a count keeps it.
    pub(crate) name: unsafe fn(NonNull<Header>) -> Option<NonNull<str>>,
    /// Whether it is the kind of actors.
    pub(crate) is_actor: bool,
    /// Says what the unit is, to whoever reads a log. Runs no user code.
    ///
    /// # Safety
    ///
    /// - The header is of this vtable's kind, and a count keeps it.
    pub(crate) describe: unsafe fn(NonNull<Header>) -> String,
}

/// Neighbours in the owned list, guarded by the list's lock.
#[derive(Default)]
pub(crate) struct Links {
    pub(crate) prev: Option<NonNull<Header>>,
    pub(crate) next: Option<NonNull<Header>>,
}

/// The head of every unit.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) state: State,
    vtable: &'static Vtable,
    /// The next unit in an intrusive queue; belongs to the queue that holds this one (U3).
    pub(crate) next: UnsafeCell<Option<NonNull<Header>>>,
    /// Belongs to the owned list's lock.
    pub(crate) links: UnsafeCell<Links>,
    scheduler: Arc<dyn Schedule>,
    id: Id,
    spawned_at: &'static Location<'static>,
}

impl Header {
    pub(crate) fn new(
        state: State,
        vtable: &'static Vtable,
        scheduler: Arc<dyn Schedule>,
        id: Id,
        spawned_at: &'static Location<'static>,
    ) -> Self {
        Self {
            state,
            vtable,
            next: UnsafeCell::new(None),
            links: UnsafeCell::new(Links::default()),
            scheduler,
            id,
            spawned_at,
        }
    }

    pub(crate) fn id(&self) -> Id {
        self.id
    }

    /// Where in the program's text it was spawned.
    pub(crate) fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }

    #[cfg(not(greenroom_loom))]
    pub(crate) fn is_actor(&self) -> bool {
        self.vtable.is_actor
    }

    #[inline]
    pub(crate) fn scheduler(&self) -> &Arc<dyn Schedule> {
        &self.scheduler
    }
}

/// One count of a unit.
pub(crate) struct Unit(NonNull<Header>);

// SAFETY: a unit is a counted pointer; the header's fields are atomics, immutable, or guarded as
// U3 and U4 say, and the kinds bound what they store by `Send`.
unsafe impl Send for Unit {}
// SAFETY: as above; `&Unit` gives only `&Header`.
unsafe impl Sync for Unit {}

impl Unit {
    /// Takes over one count.
    ///
    /// # Safety
    ///
    /// - `header` satisfies U1, and the caller gives up one count of it.
    #[inline]
    pub(crate) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self(header)
    }

    /// Gives the count to the caller.
    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).0
    }

    #[inline]
    pub(crate) fn as_raw(&self) -> NonNull<Header> {
        self.0
    }

    #[inline]
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: U2: this count keeps the allocation.
        unsafe { self.0.as_ref() }
    }

    /// The name that the unit was given.
    pub(crate) fn name(&self) -> Option<&str> {
        // SAFETY: U1; this count keeps the allocation, and with it the name.
        unsafe { (self.header().vtable.name)(self.0).map(|name| name.as_ref()) }
    }

    /// Until the result is dropped, this is the unit that the thread runs.
    #[inline]
    pub(crate) fn enter(&self) -> Entered {
        Entered::new(self.0)
    }

    /// Runs one activation and gives up the count.
    pub(crate) fn run(self) {
        let _entered = self.enter();
        let header = self.into_raw();
        // SAFETY: U1; the count of `self` is handed over.
        unsafe { (header.as_ref().vtable.run)(header) }
    }

    /// Makes the unit runnable, if it is not so already.
    pub(crate) fn notify(&self) {
        let notify = self.header().state.notify();
        self.follow(notify);
    }

    /// As [`Unit::notify`], and has the next activation look at what the actor was told.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn signal(&self) {
        let notify = self.header().state.signal();
        self.follow(notify);
    }

    /// As [`Unit::notify`], of what is in no hurry.
    pub(crate) fn notify_calmly(&self) {
        if self.header().state.notify() != Notify::Nothing {
            // SAFETY: U1 holds for `self`; the transition added the count that is taken over.
            let queued = unsafe { Unit::from_raw(self.0) };
            self.header().scheduler.schedule_calmly(queued);
        }
    }

    /// Asks the unit to drop what it is doing: its next activation sees CANCELLED.
    /// Says whether this call was the first to ask.
    pub(crate) fn cancel(&self) -> bool {
        let (first, notify) = self.header().state.cancel();
        self.follow(notify);
        first
    }

    /// Ends a unit that stands in no queue any more, or never will, on the caller's thread: its
    /// activation sees CANCELLED. For a scheduler that has closed.
    pub(crate) fn refuse(self) {
        let (_, notify) = self.header().state.cancel();
        debug_assert_eq!(notify, Notify::Nothing, "refused without its queue entry");
        self.run();
    }

    /// Gives up the count, and another of the same unit, in one step.
    pub(crate) fn release_with(self, other: Option<Unit>) {
        let header = self.into_raw();
        let other = other.map(Unit::into_raw);
        debug_assert!(other.is_none_or(|raw| raw == header), "not the same unit");
        let counts = 1 + usize::from(other.is_some());
        // SAFETY: U2: the counts of both units keep the allocation.
        if unsafe { header.as_ref() }.state.release_many(counts) {
            // SAFETY: those were the last counts.
            unsafe { Self::dispose(header) }
        }
    }

    /// Says what the unit is, to whoever reads a log.
    ///
    /// # Safety
    ///
    /// - `header` satisfies U1, and a count keeps it during the call.
    pub(crate) unsafe fn describe(header: NonNull<Header>) -> String {
        // SAFETY: the caller; the vtable is the header's own.
        unsafe { (header.as_ref().vtable.describe)(header) }
    }

    /// Frees a unit without counts.
    ///
    /// # Safety
    ///
    /// - The caller's transition gave back the last count.
    pub(crate) unsafe fn dispose(header: NonNull<Header>) {
        current::leave(header);
        // SAFETY: U1; the allocation is the caller's alone.
        unsafe { (header.as_ref().vtable.dispose)(header) }
    }

    /// Queues the count that a transition has added. `self` keeps the scheduler meanwhile, which
    /// the queued count may not: another thread can run and free it before `schedule` returns.
    fn follow(&self, notify: Notify) {
        let queued = match notify {
            Notify::Nothing => return,
            // SAFETY: U1 holds for `self`; the transition added the count that is taken over.
            Notify::Queue | Notify::QueueBackground => unsafe { Unit::from_raw(self.0) },
        };
        let scheduler = &self.header().scheduler;
        if notify == Notify::Queue {
            scheduler.schedule(queued);
        } else {
            scheduler.schedule_background(queued);
        }
    }
}

impl Clone for Unit {
    fn clone(&self) -> Self {
        self.header().state.retain();
        Self(self.0)
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        if self.header().state.release() {
            // SAFETY: U2: that was the last count.
            unsafe { Self::dispose(self.0) }
        }
    }
}

/// A waker for the time of one activation, which needs no count of its own: the run holds one.
///
/// # Safety
///
/// - The header's allocation outlives the result, and the result is never dropped by value
///   (hence `ManuallyDrop`).
pub(crate) unsafe fn borrow_waker(header: NonNull<Header>) -> ManuallyDrop<Waker> {
    let data = header.as_ptr().cast::<()>().cast_const();
    // SAFETY: the caller keeps the allocation, and the waker's own count is never given back.
    ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(data, &WAKER)) })
}

static WAKER: RawWakerVTable =
    RawWakerVTable::new(waker_clone, waker_wake, waker_wake_by_ref, waker_drop);

/// The unit behind a waker's data, without its count.
///
/// # Safety
///
/// - `data` came from [`borrow_waker`], or from a clone of its waker.
unsafe fn waker_unit(data: *const ()) -> ManuallyDrop<Unit> {
    // SAFETY: [`borrow_waker`] made `data` from a `NonNull<Header>`.
    let header = unsafe { NonNull::new_unchecked(data.cast::<Header>().cast_mut()) };
    ManuallyDrop::new(Unit(header))
}

unsafe fn waker_clone(data: *const ()) -> RawWaker {
    // SAFETY: called by `Waker` with its own data.
    let unit = unsafe { waker_unit(data) };
    unit.header().state.retain();
    RawWaker::new(data, &WAKER)
}

unsafe fn waker_wake(data: *const ()) {
    // SAFETY: called by `Waker` with its own data, which gives up its count.
    let unit = ManuallyDrop::into_inner(unsafe { waker_unit(data) });
    unit.notify();
}

unsafe fn waker_wake_by_ref(data: *const ()) {
    // SAFETY: called by `Waker` with its own data.
    unsafe { waker_unit(data) }.notify();
}

unsafe fn waker_drop(data: *const ()) {
    // SAFETY: called by `Waker` with its own data, which gives up its count.
    drop(ManuallyDrop::into_inner(unsafe { waker_unit(data) }));
}
