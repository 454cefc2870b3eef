//! The way back of an ask: a slot from the pool, with a [`ReplyEnd`] that is used once and a
//! [`Receiver`] that waits.
//!
//! # Protocol
//!
//! | state | who may touch the value | who may touch the waker | who may touch the watchers |
//! | --- | --- | --- | --- |
//! | none | sender | receiver | sender |
//! | WAITING | sender | whoever takes WAITING away, or sets SENT beside it (the sender) | |
//! | WATCHED | | | whoever takes WATCHED away, or sets LEFT beside it (the receiver) |
//! | SENT | receiver | sender, if WAITING stood when SENT was set; else receiver | who frees |
//! | LEFT | sender | sender | receiver, if WATCHED stood when LEFT was set; else sender |
//! | SENDER_GONE | receiver | receiver | receiver |
//! | RECEIVER_GONE | sender | sender | sender |
//!
//! - The sender writes the value, then sets SENT. If nobody waited, the same step says
//!   SENDER_GONE; else it first takes the waker, then says SENDER_GONE, then wakes.
//! - The receiver that goes without an answer sets LEFT. If nobody watched for that, the same step
//!   says RECEIVER_GONE; else it first takes the watchers, then says RECEIVER_GONE, then wakes.
//! - Of SENT and LEFT one comes first, and the other is never set: so an answer is read, or the
//!   sender's to drop.
//! - The receiver registers by writing its waker, then setting WAITING; it takes WAITING away
//!   again before it touches the waker a second time. Either step fails if SENT came between, and
//!   then the value is there. The sender does the same with WATCHED, the watchers and LEFT.
//! - Whoever finds the other gone when it says that it goes frees the slot (**R1**: exactly one
//!   of the two, since both say so by read-modify-writes on one word).
//! - PASSED_ON says that the answer will come after its handler, from nobody knows where; FORWARDED
//!   counts how often it was another actor that was to give it.
//! - A handler that runs beside others writes its number into the upper bits, once; who is asked in
//!   its place, the id of that one (`hand`).
//! - A slot that is TIMED has a timer from the beginning, which is the receiver's.
//! - Of an ask that is LIMITED the sender sets STARTED before its handler runs (**R2**: either it
//!   sees LEFT, and no handler runs, or who sets LEFT sees STARTED).
//!
//! No user code (wakers, drops of values) runs before the step that makes it harmless to the
//! protocol, and none under a lock: there is none.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;
use std::task::Waker;

use tokio::time::Instant;

use self::early::depart;
pub(crate) use self::early::{GivenUp, Timer, Turn};
pub(crate) use self::hand::Hand;
pub(crate) use self::junction::{Junction, Way};
pub(crate) use self::receiver::{Probe, Receiver};
pub(crate) use self::watch::{Left, Watch, WatchKey};
use crate::contain::contain;
use crate::id::Id;
use crate::limits::{FORWARDS_MAX, REENTRANT_MAX};
use crate::pool::{self, PoolBox};
use crate::sync::UnsafeCell;
use crate::sync::atomic::{AtomicUsize, Ordering};

const WAITING: usize = 1 << 0;
const SENT: usize = 1 << 1;
const SENDER_GONE: usize = 1 << 2;
const RECEIVER_GONE: usize = 1 << 3;
const WATCHED: usize = 1 << 4;
const LEFT: usize = 1 << 5;
const LIMITED: usize = 1 << 6;
const STARTED: usize = 1 << 7;
const TIMED: usize = 1 << 8;
const PASSED_ON: usize = 1 << 9;
/// One step of the way through actors; it and what is above count them, up to `RUN_SHIFT`.
const FORWARDED: usize = 1 << 10;
/// Above it, the number of the handler that runs beside others: not 0, once it has one.
const RUN_SHIFT: u32 = 16;
/// Above that, the actor that the ask was forwarded to last; 0 if there is none.
const HOLDER_SHIFT: u32 = 32;
const _: () = assert!(REENTRANT_MAX < 1 << (HOLDER_SHIFT - RUN_SHIFT));
/// The step that is refused is counted, too.
const _: () = assert!((FORWARDS_MAX + 2) * FORWARDED < 1 << RUN_SHIFT);

/// The part of a slot that needs no type.
#[repr(C)]
pub(crate) struct Head {
    state: AtomicUsize,
    waker: UnsafeCell<Option<Waker>>,
    /// The sender writes it while WATCHED is away.
    extra: UnsafeCell<Option<PoolBox<Extra>>>,
    vtable: &'static Vtable,
}

/// What few asks have. The sender makes it at need, if the slot was made without it.
struct Extra {
    deadline: Option<Instant>,
    /// Who wants to know that the receiver has left.
    watchers: UnsafeCell<BTreeMap<Id, Waker>>,
    /// The receiver's.
    timer: UnsafeCell<Option<Timer>>,
}

#[repr(C)]
struct Slot<T> {
    head: Head,
    value: UnsafeCell<MaybeUninit<T>>,
}

struct Vtable {
    /// Answers in place of a sender that went without an answer.
    ///
    /// # Safety
    ///
    /// - The head is of this vtable's slot type; the caller gives up the sender's end.
    orphan: unsafe fn(NonNull<Head>),
    /// Drops the value in place.
    ///
    /// # Safety
    ///
    /// - The head is of this vtable's slot type; the value is there and the caller's to drop.
    drop_value: unsafe fn(NonNull<Head>),
    layout: Layout,
}

/// What a slot can hold: a value that has a stand-in for 'the sender went without an answer'.
pub(crate) trait Answer: Send + 'static {
    /// The answer that nobody gave.
    fn orphaned() -> Self;
}

/// Makes the two ends of a new slot.
#[inline]
pub(crate) fn channel<T: Answer>() -> (ReplyEnd, Receiver) {
    make::<T>(0, None)
}

/// The two ends of a slot whose receiver may say by [`Receiver::give_up`] that it waits no longer;
/// `deadline` is what the sender's side may know of that.
pub(crate) fn limited<T: Answer>(
    deadline: Option<Instant>,
    timer: Option<Timer>,
) -> (ReplyEnd, Receiver) {
    let has_timer = timer.is_some();
    let extra =
        (has_timer || deadline.is_some()).then(|| PoolBox::new(Extra::new(deadline, timer)));
    let timed = if has_timer { TIMED } else { 0 };
    make::<T>(LIMITED | timed, extra)
}

#[inline]
fn make<T: Answer>(state: usize, extra: Option<PoolBox<Extra>>) -> (ReplyEnd, Receiver) {
    const { assert!(align_of::<Head>() <= 16) };
    let slot = pool::alloc(Layout::new::<Slot<T>>()).cast::<Slot<T>>();
    let head = Head {
        state: AtomicUsize::new(state),
        waker: UnsafeCell::new(None),
        extra: UnsafeCell::new(extra),
        vtable: &Slot::<T>::VTABLE,
    };
    // SAFETY: fresh memory of the slot's layout.
    unsafe {
        slot.write(Slot {
            head,
            value: UnsafeCell::new(MaybeUninit::uninit()),
        })
    };
    (ReplyEnd(slot.cast()), Receiver(Some(slot.cast())))
}

impl<T: Answer> Slot<T> {
    const VTABLE: Vtable = Vtable {
        orphan: |head| {
            // SAFETY: the caller gives up the sender's end of a slot of this type.
            drop(unsafe { ReplyEnd(head).send::<T>(T::orphaned()) });
        },
        drop_value: |head| {
            // SAFETY: the value is there and the caller's.
            unsafe { Self::value(head).drop_in_place() };
        },
        layout: Layout::new::<Self>(),
    };

    /// # Safety
    ///
    /// - The head is of this slot type, and the protocol gives the caller the value.
    unsafe fn value(head: NonNull<Head>) -> NonNull<T> {
        // SAFETY: the head starts a slot of this type; the pointer covers the whole of it.
        let cell = unsafe { &(*head.cast::<Self>().as_ptr()).value };
        cell.with_mut(|value| NonNull::new(value.cast::<T>()).expect("a field is not null"))
    }
}

/// Frees the slot's memory; value and waker must be gone.
///
/// # Safety
///
/// - Both ends are gone, and the caller is the one that R1 names.
unsafe fn free(head: NonNull<Head>) {
    // SAFETY: R1: nobody else reads the slot any more.
    unsafe {
        let layout = head.as_ref().vtable.layout;
        contain(|| head.drop_in_place());
        pool::free(head.cast(), layout);
    }
}

/// The end that answers. Dropped without an answer, it answers [`Answer::orphaned`].
pub(crate) struct ReplyEnd(NonNull<Head>);

// SAFETY: what the slot carries is `Send` (`Answer`), and the protocol passes it between threads.
unsafe impl Send for ReplyEnd {}
// SAFETY: `&ReplyEnd` gives access to the state word, and to a deadline that never changes.
unsafe impl Sync for ReplyEnd {}

impl ReplyEnd {
    /// Answers. Returns the value if nobody will read it.
    ///
    /// # Safety
    ///
    /// - The slot was made by `channel::<T>()`.
    pub(crate) unsafe fn send<T: Answer>(self, value: T) -> Option<T> {
        let raw = ManuallyDrop::new(self).0;
        // SAFETY: the sender's end keeps the slot until it says SENDER_GONE.
        let head = unsafe { raw.as_ref() };
        // SAFETY: before SENT the value is the sender's.
        let place = unsafe { Slot::<T>::value(raw) };
        // SAFETY: as above; nothing was written before, for an end answers once.
        unsafe { place.write(value) };
        let mut state = head.state.load(Ordering::Relaxed);
        loop {
            if state & LEFT != 0 {
                // SAFETY: the receiver left before SENT, so the value is the sender's.
                let value = unsafe { place.read() };
                // SAFETY: it was moved out, and this end is given up.
                unsafe { quit(raw) };
                return Some(value);
            }
            let waiting = state & WAITING != 0;
            let new = if waiting {
                state | SENT
            } else {
                state | SENT | SENDER_GONE
            };
            // Ordering: Release; pairs with the receiver's Acquire: it sees the value.
            // Acquire: the waker that it wrote before WAITING.
            match head
                .state
                .compare_exchange_weak(state, new, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) if !waiting => return None,
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        // SENT stands beside WAITING: the waker is the sender's.
        // SAFETY: as the table says.
        let waker = head.waker.with_mut(|waker| unsafe { (*waker).take() });
        // SAFETY: R1; the receiver drops or takes the value, since it sees SENT.
        unsafe { quit(raw) };
        if let Some(waker) = waker {
            contain(|| waker.wake());
        }
        None
    }
}

impl Drop for ReplyEnd {
    fn drop(&mut self) {
        // SAFETY: this end is given up, and the vtable is the slot's own.
        unsafe { (self.0.as_ref().vtable.orphan)(self.0) }
    }
}

/// Takes the answer, which is the receiver's last step.
///
/// # Safety
///
/// - The slot was made by `channel::<T>()`; SENT was seen with Acquire, and the receiver's end is
///   given up.
#[inline]
unsafe fn take<T: Answer>(raw: NonNull<Head>) -> T {
    // SAFETY: the value is there and the receiver's, who moves it out once.
    let value = unsafe { Slot::<T>::value(raw).read() };
    // SAFETY: the value is gone.
    unsafe { leave(raw) };
    value
}

impl Head {
    /// Takes `mark` away: what it stands for is the caller's from here on. Fails if the other end
    /// has set `end`.
    #[inline]
    fn take_back(&self, mark: usize, end: usize) -> bool {
        // Ordering: Acquire; pairs with the Release of who sets `end`.
        let mut state = self.state.load(Ordering::Acquire);
        while state & (mark | end) == mark {
            let without = self.state.compare_exchange(
                state,
                state & !mark,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match without {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        state & end == 0
    }

    /// Sets `mark`: what it stands for is the other end's if that sets `end`. Fails if it has.
    #[inline]
    fn offer(&self, mark: usize, end: usize) -> bool {
        let mut state = self.state.load(Ordering::Acquire);
        while state & end == 0 {
            // Ordering: Release; the other end that sees the mark sees what it stands for.
            // Acquire: pairs with the Release of who sets `end`.
            let with = self.state.compare_exchange(
                state,
                state | mark,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match with {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }
}

/// The sender's last step.
///
/// # Safety
///
/// - Its end is given up, and what the protocol gives it is gone.
#[inline]
unsafe fn quit(raw: NonNull<Head>) {
    // SAFETY: the end keeps the slot until this step.
    let head = unsafe { raw.as_ref() };
    // Ordering: AcqRel; R1's pair.
    if head.state.fetch_or(SENDER_GONE, Ordering::AcqRel) & RECEIVER_GONE != 0 {
        // SAFETY: R1.
        unsafe { free(raw) };
    }
}

/// The receiver's last step after SENT.
///
/// # Safety
///
/// - The value is gone, and the receiver's end is given up.
unsafe fn leave(raw: NonNull<Head>) {
    // SAFETY: the end keeps the slot until this step.
    let head = unsafe { raw.as_ref() };
    // Ordering: AcqRel; R1's pair.
    if head.state.fetch_or(RECEIVER_GONE, Ordering::AcqRel) & SENDER_GONE != 0 {
        // SAFETY: R1.
        unsafe { free(raw) };
    }
}

mod early;
mod hand;
mod junction;
mod receiver;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;
mod watch;

#[cfg(all(test, greenroom_loom))]
mod loom;
