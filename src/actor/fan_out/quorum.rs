//! As many replies as are needed.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::Ask;
use super::crowd::Crowd;
use crate::actor::error::AskError;
use crate::error::Error;

/// Asks many at once, and waits for as many replies as are needed; each comes with the place of
/// its request, in the order in which they came.
///
/// All are queued before any is waited for, as by [`ask_all`](crate::ask_all). An ask that fails,
/// also by its handler's own error, is not counted. As soon as enough have come, or too few can
/// still come, the rest is dropped: what waits for a slot then is withdrawn, and what is queued is
/// skipped, unless it is `#[message(detached)]`. It is answered at once, and nothing is sent, if
/// none are needed, or more than there are requests.
///
/// ```
/// # use greenroom::{quorum, actor};
/// # #[actor] struct Copy { value: u64 }
/// # #[actor] impl Copy { fn read(&mut self) -> u64 { self.value } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let copies = [7, 7, 8].map(|value| Copy { value }.spawn());
/// let replies = quorum(2, copies.iter().map(|copy| copy.read())).await?;
/// let [(first, a), (second, b)] = replies[..] else { unreachable!() };
/// println!("copy {first} says {a}, copy {second} says {b}");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// [`NoQuorum`], with everything that did come.
///
/// # Cancel safety
///
/// Dropping it drops each ask that has no result yet.
pub fn quorum<F: Ask>(needed: usize, requests: impl IntoIterator<Item = F>) -> Quorum<F> {
    Quorum {
        crowd: Crowd::new(requests),
        outcome: NoQuorum {
            needed,
            replies: Vec::new(),
            errors: Vec::new(),
        },
    }
}

/// Asks many at once, and gives the first reply, with the place of its request.
///
/// It is a [`quorum`] of one: the asks that are still open when a reply comes are dropped.
///
/// ```
/// # use greenroom::{first_of, actor};
/// # #[actor] struct Copy { value: u64 }
/// # #[actor] impl Copy { fn read(&mut self) -> u64 { self.value } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let copies = [7, 7].map(|value| Copy { value }.spawn());
/// copies[0].stop(); // it takes no more
/// assert_eq!(first_of(copies.iter().map(|copy| copy.read())).await?, (1, 7));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// [`NoQuorum`] when every ask failed, or there is none.
///
/// # Cancel safety
///
/// Dropping it drops each ask that has no result yet.
pub fn first_of<F: Ask>(requests: impl IntoIterator<Item = F>) -> FirstOf<F> {
    FirstOf(quorum(1, requests))
}

/// The asks of [`quorum`]. **They do nothing until they are awaited.**
#[must_use = "asks do nothing until they are awaited"]
pub struct Quorum<F: Ask> {
    crowd: Crowd<F>,
    /// What has come so far.
    outcome: NoQuorum<F::Reply, F::Error>,
}

impl<F: Ask> Future for Quorum<F> {
    type Output = Result<Vec<(usize, F::Reply)>, NoQuorum<F::Reply, F::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { crowd, outcome } = &mut *self;
        let requests = crowd.len();
        if !outcome.is_decided(requests) {
            ready!(crowd.poll(cx, |index, result| {
                match result {
                    Ok(reply) => outcome.replies.push((index, reply)),
                    Err(error) => outcome.errors.push((index, error)),
                }
                outcome.is_decided(requests).then_some(())
            }));
        }
        crowd.clear();
        let outcome = NoQuorum {
            needed: outcome.needed,
            replies: std::mem::take(&mut outcome.replies),
            errors: std::mem::take(&mut outcome.errors),
        };
        Poll::Ready(match outcome.replies.len() {
            enough if enough == outcome.needed => Ok(outcome.replies),
            _ => Err(outcome),
        })
    }
}

// It holds results as plain values.
impl<F: Ask> Unpin for Quorum<F> {}

impl<F: Ask> fmt::Debug for Quorum<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quorum")
            .field("needed", &self.outcome.needed)
            .field("requests", &self.crowd.len())
            .finish_non_exhaustive()
    }
}

/// The asks of [`first_of`]. **They do nothing until they are awaited.**
#[must_use = "asks do nothing until they are awaited"]
pub struct FirstOf<F: Ask>(Quorum<F>);

impl<F: Ask> Future for FirstOf<F> {
    type Output = Result<(usize, F::Reply), NoQuorum<F::Reply, F::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let replies = ready!(Pin::new(&mut self.0).poll(cx))?;
        let first = replies.into_iter().next();
        Poll::Ready(Ok(first.expect("one was needed, and came")))
    }
}

impl<F: Ask> fmt::Debug for FirstOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstOf")
            .field("requests", &self.0.crowd.len())
            .finish_non_exhaustive()
    }
}

/// Fewer replies than were needed. Each entry has the place of its request before it.
#[non_exhaustive]
pub struct NoQuorum<T, E = std::convert::Infallible> {
    /// How many were needed.
    pub needed: usize,
    /// The replies that did come, in the order in which they came.
    pub replies: Vec<(usize, T)>,
    /// What the others failed of, in the order in which they failed. Asks that were still open
    /// when too few could come are in neither list.
    pub errors: Vec<(usize, AskError<E>)>,
}

impl<T, E> NoQuorum<T, E> {
    /// Whether enough have come, or too few of so many can.
    fn is_decided(&self, requests: usize) -> bool {
        let came = self.replies.len();
        came >= self.needed || requests - self.errors.len() < self.needed
    }
}

impl<T, E> fmt::Display for NoQuorum<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (came, failed) = (self.replies.len(), self.errors.len());
        write!(
            f,
            "{came} of {} needed replies came, and {failed} asks failed",
            self.needed
        )
    }
}

impl<T, E> fmt::Debug for NoQuorum<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoQuorum")
            .field("needed", &self.needed)
            .field("replies", &self.replies.len())
            .field("errors", &self.errors.len())
            .finish()
    }
}

impl<T, E: std::error::Error + 'static> std::error::Error for NoQuorum<T, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let (_, first) = self.errors.first()?;
        Some(first)
    }
}

impl<T, E: std::error::Error + Send + Sync + 'static> From<NoQuorum<T, E>> for Error {
    /// Keeps the errors; of the replies, which are no errors, their places.
    fn from(error: NoQuorum<T, E>) -> Self {
        let replies = error.replies.into_iter().map(|(index, _)| (index, ()));
        Self::new(NoQuorum {
            needed: error.needed,
            replies: replies.collect(),
            errors: error.errors,
        })
    }
}
