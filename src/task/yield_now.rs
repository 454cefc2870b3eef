//! Giving way to whatever else is runnable.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Lets other tasks run, then goes on.
///
/// The task wakes itself during its poll, so its scheduler puts it behind everything that waits
/// already. A combinator around the call decides whether the whole task gives way: a `select!`
/// with another ready branch does not.
pub fn yield_now() -> YieldNow {
    YieldNow { yielded: false }
}

/// The future of [`yield_now`].
#[derive(Debug)]
#[must_use = "a yield does nothing unless it is awaited"]
pub struct YieldNow {
    yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
