//! What this thread is doing: the pump that it polls, and the pump that it polled last.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;

use super::shared::Shared;
use crate::exec::core::Local;
use crate::exec::executor::Executor;

/// The poll of a pump.
///
/// Invariant: while `FRAME` is not null it points to the frame of the innermost [`enter`] on this
/// thread's stack, which resets it before it returns or unwinds.
pub(in crate::exec) struct Frame<'a> {
    pub(in crate::exec) executor: &'a Executor,
    /// The worker's half; nothing once it was handed over.
    pub(in crate::exec) half: &'a Half,
}

/// A worker's half, in the hands of a pump.
pub(in crate::exec) type Half = RefCell<Option<Local>>;

thread_local! {
    static FRAME: Cell<*const Frame<'static>> = const { Cell::new(ptr::null()) };
    /// The executor (by address) and the slot of the pump that ran here last.
    static LAST_PUMP: Cell<(*const Shared, usize)> = const { Cell::new((ptr::null(), 0)) };
}

/// Puts the outer frame back.
struct Reset(*const Frame<'static>);

impl Drop for Reset {
    fn drop(&mut self) {
        FRAME.set(self.0);
    }
}

/// Runs `f` as the worker of `half`.
pub(super) fn enter<R>(executor: &Executor, half: &Half, f: impl FnOnce() -> R) -> R {
    let frame = Frame { executor, half };
    if let Some(local) = &*half.borrow() {
        LAST_PUMP.set((Arc::as_ptr(executor.shared()), local.slot()));
    }
    let _reset = Reset(FRAME.replace(ptr::from_ref(&frame).cast()));
    f()
}

/// Gives the frame of the pump that polls on this thread, if one does.
pub(in crate::exec) fn with_current<R>(f: impl for<'a> FnOnce(Option<&Frame<'a>>) -> R) -> R {
    // SAFETY: the invariant at `Frame`: not null means alive until an `enter` below us on the
    // stack returns, and `f` cannot keep the reference, whose lifetime it does not know.
    f(unsafe { FRAME.get().as_ref() })
}

/// The slot of the pump that ran on this thread last, if it was one of `shared`.
pub(super) fn last_slot(shared: &Shared) -> Option<usize> {
    let (last, slot) = LAST_PUMP.get();
    ptr::eq(last, shared).then_some(slot)
}
