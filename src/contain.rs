//! Fences around user code: a panic in a poll, a drop or a wake stays where it happened.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send + 'static>;

/// Runs user code and catches its panic. Whoever calls this drops or replaces what the panic may
/// have left half-done, so that nobody sees it.
pub(crate) fn catch<R>(code: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(code))
}

/// Runs user code whose panic has nobody to go to.
pub(crate) fn contain(code: impl FnOnce()) {
    if let Err(payload) = catch(code) {
        discard(payload);
    }
}

/// Drops a payload. Its drop is user code as well; one that panics forfeits what it panics with.
pub(crate) fn discard(payload: Payload) {
    if let Err(second) = catch(|| drop(payload)) {
        mem::forget(second);
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
