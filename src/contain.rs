//! Running user code so that its panic stays where it belongs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

/// What a panic carried.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Runs `f`; a panic comes back as its payload.
///
/// The callers see to unwind safety: what `f` touched is dropped or declared dead afterwards.
pub(crate) fn contain<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(f))
}

/// Drops a value; a panic in its `Drop` goes no further.
pub(crate) fn drop_contained<T>(value: T) {
    if let Err(payload) = contain(|| drop(value)) {
        forget_payload(payload);
    }
}

/// Wakes; a panic in the waker goes no further, so that others are woken all the same.
pub(crate) fn wake_contained(waker: Waker) {
    if let Err(payload) = contain(|| waker.wake()) {
        forget_payload(payload);
    }
}

/// Drops a payload, whose own `Drop` may panic: once it does, the rest is leaked.
pub(crate) fn forget_payload(payload: Payload) {
    if let Err(again) = contain(|| drop(payload)) {
        std::mem::forget(again);
    }
}

/// The text of a panic, where it has one.
pub(crate) fn text_of(payload: &Payload) -> &str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(a payload that is no text)")
}
