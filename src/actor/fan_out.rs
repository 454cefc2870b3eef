//! Many asks at once: all of them, the first, or so many.

mod crowd;
mod quorum;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub use quorum::{FirstOf, NoQuorum, Quorum, first_of, quorum};

use super::enqueue::Reply;
use super::error::AskError;
use super::request::Request;
use super::route::Carries;
use super::timed::{Limited, Timed};
use super::traits::{ErrOf, Handler, OkOf, Sealed};
use crowd::Crowd;

/// What [`ask_all`], [`first_of`] and [`quorum`] take: a [`Request`], one with a limit, or the
/// [`Reply`] of one that is queued already.
pub trait Ask: Future<Output = Result<Self::Reply, AskError<Self::Error>>> + Sealed {
    /// The ask's value.
    type Reply;
    /// The ask's own error, beside those of sending.
    type Error;

    /// As polling it, but never inline.
    #[doc(hidden)]
    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output>;
}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Sealed for Request<'_, A, M, R> {}

impl<A: Handler<M>, M: Send + 'static, R: Carries<A, M>> Ask for Request<'_, A, M, R> {
    type Reply = OkOf<A, M>;
    type Error = ErrOf<A, M>;

    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        R::poll_queued(self.project(), cx)
    }
}

impl<T, E> Sealed for Reply<T, E> {}

impl<T: Send + 'static, E: Send + 'static> Ask for Reply<T, E> {
    type Reply = T;
    type Error = E;

    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll(cx)
    }
}

impl<F> Sealed for Timed<F> {}

impl<F: Ask + Limited> Ask for Timed<F> {
    type Reply = F::Reply;
    type Error = F::Error;

    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_by(cx, true, F::poll_queued)
    }
}

/// Asks many at once, and waits for all: one result per request, in the order of the requests.
///
/// All are queued, in order, before any is waited for; none runs its handler in the asker's stead.
/// So the targets work at the same time, a full mailbox keeps nobody else waiting, and whatever
/// fails has its error in its place. Each request may have its own limit. No requests give no
/// results, at once.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{ask_all, actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let counters = [1, 2, 3].map(|count| Counter { count }.spawn());
/// counters[1].stop();
/// let limit = Duration::from_secs(1);
/// let results = ask_all(counters.iter().map(|counter| counter.add(10).timeout(limit))).await;
/// assert!(matches!(results[..], [Ok(11), Err(_), Ok(13)])); // the second takes no more
/// # Ok(()) }
/// ```
///
/// # Cancel safety
///
/// Dropping it drops each ask that has no result yet.
pub fn ask_all<F: Ask>(requests: impl IntoIterator<Item = F>) -> AskAll<F> {
    let crowd = Crowd::new(requests);
    let results = (0..crowd.len()).map(|_| None).collect();
    AskAll { crowd, results }
}

/// The asks of [`ask_all`]. **They do nothing until they are awaited.**
#[must_use = "asks do nothing until they are awaited"]
pub struct AskAll<F: Ask> {
    crowd: Crowd<F>,
    results: Vec<Option<F::Output>>,
}

impl<F: Ask> Future for AskAll<F> {
    type Output = Vec<Result<F::Reply, AskError<F::Error>>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { crowd, results } = &mut *self;
        let all = crowd.poll(cx, |index, result| {
            results[index] = Some(result);
            None
        });
        all.map(|_: Option<()>| {
            let results = std::mem::take(results).into_iter();
            results
                .map(|result| result.expect("all are answered"))
                .collect()
        })
    }
}

// It holds results as plain values.
impl<F: Ask> Unpin for AskAll<F> {}

impl<F: Ask> fmt::Debug for AskAll<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskAll")
            .field("requests", &self.crowd.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
