//! Requests with a limit.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep};

use super::blocking::block_on_until;

/// What can be given up when its limit passes.
pub trait Limited: Future {
    /// Before its first poll: what it sends shall carry the deadline, unless that has passed; then
    /// it is not sent. `is_queued`: never inline.
    #[doc(hidden)]
    fn begin(self: Pin<&mut Self>, due: Due, is_queued: bool) -> Option<Self::Output> {
        let _ = (due, is_queued);
        None
    }

    /// Gives up, unless it turns out to have succeeded.
    #[doc(hidden)]
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output;

    /// It has a limit now.
    #[doc(hidden)]
    fn limit(&mut self);
}

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// How long may be waited.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// From the first poll.
    After(Duration),
    At(Instant),
}

impl Limit {
    /// Whether the clock comes so far: a limit beyond its range is none. It is not looked at for
    /// what is in its range at any rate.
    fn is_reached(self) -> bool {
        match self {
            Self::After(limit) if limit > CENTURY => self.begin().due.is_some(),
            Self::After(_) | Self::At(_) => true,
        }
    }

    /// The limit, if the first poll is now. A deadline beyond the clock's range is none.
    fn begin(self) -> Term {
        let now = Instant::now();
        match self {
            Self::After(limit) => Term {
                due: now.checked_add(limit).map(Due::at),
                limit,
            },
            Self::At(at) => Term {
                due: Some(Due {
                    at,
                    is_past: at <= now,
                }),
                limit: at.saturating_duration_since(now),
            },
        }
    }
}

/// A limit that runs.
#[derive(Clone, Copy)]
struct Term {
    due: Option<Due>,
    limit: Duration,
}

/// When it is over.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    pub(crate) at: Instant,
    /// It was a point in time that had passed before the first poll.
    pub(crate) is_past: bool,
}

impl Due {
    fn at(at: Instant) -> Self {
        Self { at, is_past: false }
    }
}

pin_project! {
    /// A request with a limit: a time from the first poll, or a deadline.
    ///
    /// Cancel safety: as the request's own.
    #[must_use = "a request does nothing until it is awaited"]
    pub struct Timed<T> {
        #[pin]
        request: T,
        #[pin]
        sleep: Option<Sleep>,
        limit: Limit,
        term: Option<Term>,
    }
}

impl<T: Limited> Timed<T> {
    pub(super) fn new(mut request: T, limit: Limit) -> Self {
        if limit.is_reached() {
            request.limit();
        }
        Self {
            request,
            sleep: None,
            limit,
            term: None,
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
        let Term { due, limit } = self.limit.begin();
        let mut request = std::pin::pin!(self.request);
        let mut unbegun = due;
        let polled = poll_fn(|cx| {
            let begin = |due| request.as_mut().begin(due, false);
            match unbegun.take().and_then(begin) {
                Some(output) => Poll::Ready(output),
                None => request.as_mut().poll(cx),
            }
        });
        block_on_until(polled, limit).unwrap_or_else(|| request.expire(limit))
    }
}

#[cfg(feature = "remote")]
impl<T> Timed<T> {
    pub(super) fn request(&self) -> &T {
        &self.request
    }
}

impl<T: Limited> Future for Timed<T> {
    type Output = T::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T::Output> {
        self.poll_by(cx, false, T::poll)
    }
}

impl<T: Limited> Timed<T> {
    /// Polls the request in this way, and the limit.
    pub(super) fn poll_by(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        is_queued: bool,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<T::Output>,
    ) -> Poll<T::Output> {
        let mut this = self.project();
        let Term { due, limit } = match *this.term {
            Some(term) => term,
            None => {
                let term = this.term.insert(this.limit.begin());
                let begin = |due| this.request.as_mut().begin(due, is_queued);
                if let Some(output) = term.due.and_then(begin) {
                    return Poll::Ready(output);
                }
                *term
            }
        };
        if let Poll::Ready(output) = poll(this.request.as_mut(), cx) {
            return Poll::Ready(output);
        }
        // The timer is made when the first poll did not suffice.
        if let (None, Some(due)) = (&*this.sleep, due) {
            this.sleep.set(Some(tokio::time::sleep_until(due.at)));
        }
        let Some(sleep) = this.sleep.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        if sleep.poll(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(this.request.expire(limit))
    }
}

impl<T> fmt::Debug for Timed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
