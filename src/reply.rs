//! The way back of an ask: a slot from the pool, with a [`ReplyEnd`] that is used once and a
//! [`Receiver`] that waits.
//!
//! # Protocol
//!
//! | state | who may touch the value | who may touch the waker |
//! | --- | --- | --- |
//! | none | sender | receiver |
//! | WAITING | sender | whoever takes WAITING away, or sets SENT beside it (the sender) |
//! | SENT | receiver | sender, if WAITING stood when SENT was set; else receiver |
//! | SENDER_GONE | receiver | receiver |
//! | RECEIVER_GONE | sender | sender |
//!
//! - The sender writes the value, then sets SENT. If nobody waited, the same step says
//!   SENDER_GONE; else it first takes the waker, then says SENDER_GONE, then wakes.
//! - The receiver registers by writing its waker, then setting WAITING; it takes WAITING away
//!   again before it touches the waker a second time. Either step fails if SENT came between, and
//!   then the value is there.
//! - Whoever finds the other gone when it says that it goes frees the slot (**R1**: exactly one
//!   of the two, since both say so by read-modify-writes on one word).
//! - If RECEIVER_GONE was set before SENT, the value is the sender's to drop.
//!
//! No user code (wakers, drops of values) runs before the step that makes it harmless to the
//! protocol, and none under a lock: there is none.

use std::alloc::Layout;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;
use std::task::{Poll, Waker};

use crate::contain::contain;
use crate::pool;
use crate::sync::UnsafeCell;
use crate::sync::atomic::{AtomicUsize, Ordering};

const WAITING: usize = 1 << 0;
const SENT: usize = 1 << 1;
const SENDER_GONE: usize = 1 << 2;
const RECEIVER_GONE: usize = 1 << 3;

/// The part of a slot that needs no type.
#[repr(C)]
pub(crate) struct Head {
    state: AtomicUsize,
    waker: UnsafeCell<Option<Waker>>,
    vtable: &'static Vtable,
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
pub(crate) fn channel<T: Answer>() -> (ReplyEnd, Receiver) {
    const { assert!(align_of::<Head>() <= 16) };
    let slot = pool::alloc(Layout::new::<Slot<T>>()).cast::<Slot<T>>();
    let head = Head {
        state: AtomicUsize::new(0),
        waker: UnsafeCell::new(None),
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
// SAFETY: `&ReplyEnd` only reads the state word.
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
            if state & RECEIVER_GONE != 0 {
                // Ordering: Acquire; pairs with the receiver's last step: its waker is gone.
                crate::sync::atomic::fence(Ordering::Acquire);
                // SAFETY: the receiver went before SENT, so value and memory are the sender's.
                unsafe {
                    let value = place.read();
                    free(raw);
                    return Some(value);
                }
            }
            let waiting = state & WAITING != 0;
            let new = if waiting {
                state | SENT
            } else {
                SENT | SENDER_GONE
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
        // Ordering: AcqRel; R1's pair.
        let old = head.state.fetch_or(SENDER_GONE, Ordering::AcqRel);
        if old & RECEIVER_GONE != 0 {
            // SAFETY: R1; the receiver has dropped or taken the value, since it saw SENT.
            unsafe { free(raw) };
        }
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

/// The end that waits. Empty once it has given the answer.
pub(crate) struct Receiver(Option<NonNull<Head>>);

// SAFETY: as `ReplyEnd`.
unsafe impl Send for Receiver {}
// SAFETY: `&Receiver` gives access to nothing.
unsafe impl Sync for Receiver {}

impl Receiver {
    /// Gives the answer, or registers `waker` to be woken when it is there.
    ///
    /// # Panics
    ///
    /// When the answer was given already.
    ///
    /// # Safety
    ///
    /// - The slot was made by `channel::<T>()`.
    #[cfg(test)]
    pub(crate) unsafe fn poll<T: Answer>(&mut self, waker: &Waker) -> Poll<T> {
        match self.poll_sent(waker) {
            Poll::Pending => Poll::Pending,
            // SAFETY: the caller; the answer is there.
            Poll::Ready(()) => Poll::Ready(unsafe { self.take() }),
        }
    }

    /// Says that the answer is there, or registers `waker` to be woken when it is.
    ///
    /// # Panics
    ///
    /// When the answer was taken already.
    #[inline]
    pub(crate) fn poll_sent(&mut self, waker: &Waker) -> Poll<()> {
        let raw = self.0.expect("an answer is given once");
        // SAFETY: this end keeps the slot.
        let head = unsafe { raw.as_ref() };
        if !head.is_sent() {
            // SAFETY: `is_sent` took WAITING away: the waker is the receiver's.
            let old = head
                .waker
                .with_mut(|cell| unsafe { (*cell).replace(waker.clone()) });
            contain(|| drop(old));
            // Ordering: Release; the sender that sees WAITING sees the waker.
            let set = head
                .state
                .compare_exchange(0, WAITING, Ordering::AcqRel, Ordering::Acquire);
            if set.is_ok() {
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }

    /// Takes the answer, and leaves the slot.
    ///
    /// # Safety
    ///
    /// - The slot was made by `channel::<T>()`, and the last `poll_sent` was ready.
    #[inline]
    pub(crate) unsafe fn take<T: Answer>(&mut self) -> T {
        let raw = self.0.take().expect("an answer is given once");
        // SAFETY: SENT was seen with Acquire, so the value is there and the receiver's; `self`
        // is emptied, so it is moved out once.
        let value = unsafe { Slot::<T>::value(raw).read() };
        // SAFETY: value and end are given up here.
        unsafe { leave(raw) };
        value
    }

    /// What tells others whether the answer is there.
    ///
    /// # Panics
    ///
    /// When the answer was taken already.
    pub(crate) fn probe(&self) -> Probe {
        Probe(self.0.expect("an answer is given once"))
    }
}

/// Tells whether an answer is there, without a part in the protocol.
#[derive(Clone, Copy)]
pub(crate) struct Probe(NonNull<Head>);

// SAFETY: it reads the state word alone.
unsafe impl Send for Probe {}

impl Probe {
    /// Whether the answer is still to come.
    ///
    /// # Safety
    ///
    /// - The receiver that gave the probe has the slot: neither was it dropped nor its answer taken.
    pub(crate) unsafe fn is_open(&self) -> bool {
        // SAFETY: the caller: the receiver's end keeps the slot.
        let head = unsafe { self.0.as_ref() };
        // Ordering: Relaxed; nothing is read behind it. Who sent the answer, and does something
        // after it, is seen to have sent by whoever sees what it did.
        head.state.load(Ordering::Relaxed) & SENT == 0
    }
}

impl Head {
    /// Whether the answer is there. If not, the waker is the receiver's from here on.
    fn is_sent(&self) -> bool {
        // Ordering: Acquire; pairs with the Release of `send`.
        let state = self.state.load(Ordering::Acquire);
        state & SENT != 0
            || (state & WAITING != 0
                && self
                    .state
                    .compare_exchange(WAITING, 0, Ordering::AcqRel, Ordering::Acquire)
                    .is_err())
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

impl Drop for Receiver {
    fn drop(&mut self) {
        /// Leaves the slot even if the value's own drop panics.
        struct Leave(NonNull<Head>);
        impl Drop for Leave {
            fn drop(&mut self) {
                // SAFETY: the value was dropped, or its drop is unwinding.
                unsafe { leave(self.0) }
            }
        }
        let Some(raw) = self.0.take() else { return };
        // SAFETY: this end keeps the slot.
        let head = unsafe { raw.as_ref() };
        if !head.is_sent() {
            // SAFETY: the waker is the receiver's.
            let waker = head.waker.with_mut(|cell| unsafe { (*cell).take() });
            contain(|| drop(waker));
            // Ordering: Release; pairs with the sender's Acquire fence: the waker is gone.
            let set =
                head.state
                    .compare_exchange(0, RECEIVER_GONE, Ordering::AcqRel, Ordering::Acquire);
            if set.is_ok() {
                return;
            }
        }
        let leave = Leave(raw);
        // SAFETY: SENT was seen with Acquire: the value is there and the receiver's.
        unsafe { (head.vtable.drop_value)(leave.0) };
    }
}

#[cfg(all(test, not(greenroom_loom)))]
mod tests;

#[cfg(all(test, greenroom_loom))]
mod loom;
