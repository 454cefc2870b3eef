//! Requests with a limit.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use super::blocking::block_on_until;

/// What can be given up when its limit passes.
pub trait Limited: Future {
    /// Gives up, unless it turns out to have succeeded.
    #[doc(hidden)]
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output;

    /// It has a limit now.
    #[doc(hidden)]
    fn limit(&mut self);
}

pin_project! {
    /// A request with a limit, which runs from the first poll.
    ///
    /// Cancel safety: as the request's own.
    #[must_use = "a request does nothing until it is awaited"]
    pub struct Timed<T> {
        #[pin]
        request: T,
        #[pin]
        sleep: Option<Sleep>,
        limit: Duration,
    }
}

impl<T: Limited> Timed<T> {
    pub(super) fn new(mut request: T, limit: Duration) -> Self {
        request.limit();
        Self {
            request,
            sleep: None,
            limit,
        }
    }

    /// As awaiting it, from code that is not async: blocks the thread until the reply is there or
    /// the limit has passed. It needs no time driver.
    ///
    /// # Errors
    ///
    /// As awaiting it.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> T::Output {
        let limit = self.limit;
        let mut request = std::pin::pin!(self.request);
        block_on_until(request.as_mut(), limit).unwrap_or_else(|| request.expire(limit))
    }
}

impl<T: Limited> Future for Timed<T> {
    type Output = T::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T::Output> {
        self.poll_by(cx, T::poll)
    }
}

impl<T: Limited> Timed<T> {
    /// Polls the request in this way, and the limit.
    pub(super) fn poll_by(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<T::Output>,
    ) -> Poll<T::Output> {
        let mut this = self.project();
        if let Poll::Ready(output) = poll(this.request.as_mut(), cx) {
            return Poll::Ready(output);
        }
        // The timer is made when the first poll did not suffice.
        if this.sleep.is_none() {
            this.sleep.set(Some(tokio::time::sleep(*this.limit)));
        }
        let Some(sleep) = this.sleep.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        if sleep.poll(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(this.request.expire(*this.limit))
    }
}

impl<T> fmt::Debug for Timed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
