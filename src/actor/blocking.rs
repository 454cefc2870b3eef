//! Waiting for a request on a thread that is not async.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::exec::before_blocking;

/// Wakes a thread that parks.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks until the future is done.
///
/// # Panics
///
/// When called from async code.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    run(future, None).expect("without a limit it ends with an output")
}

/// Blocks until the future is done, or the limit has passed: then `None`.
///
/// # Panics
///
/// When called from async code.
pub(super) fn block_on_until<F: Future>(future: F, limit: Duration) -> Option<F::Output> {
    run(future, Some(limit))
}

fn run<F: Future>(future: F, limit: Option<Duration>) -> Option<F::Output> {
    refuse_async_code();
    // A limit beyond the clock's range is none.
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return Some(output);
        }
        before_blocking();
        match deadline {
            None => thread::park(),
            Some(deadline) => {
                let left = deadline.checked_duration_since(Instant::now())?;
                if left.is_zero() {
                    return None;
                }
                thread::park_timeout(left);
            }
        }
    }
}

/// Panics where tokio's own blocking calls would.
fn refuse_async_code() {
    // tokio keeps the test to itself, but makes it before this wait, which has nothing to wait
    // for: the channel's other end is gone.
    let (_, mut receiver) = tokio::sync::mpsc::channel::<()>(1);
    let _ = receiver.blocking_recv();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_blocks_on_a_plain_thread_and_is_refused_in_async_code() {
        assert_eq!(block_on(async { 7 }), 7);
        assert_eq!(
            block_on_until(std::future::pending::<()>(), Duration::from_millis(1)),
            None
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let refused = runtime.block_on(async { crate::contain::catch(|| block_on(async {})) });
        assert!(refused.is_err());
    }
}
