//! Plain `async` code as a program: forked by running it again.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::address::Site;
use super::program::{Program, Scope, Step};
use crate::limits::REPLAY_SITES;
use crate::sync::Mutex;

/// An `async` function as a [`Program`].
///
/// A future cannot be cloned. So a fork has the values that its source was given, and no future;
/// when it goes on it runs the function again from the start, with these values. A chain of
/// savepoints costs no more than with another program; the first step after a fork costs all the
/// steps before it, and at most [`REPLAY_SITES`] are remembered.
///
/// | what the function does | in a fork |
/// | --- | --- |
/// | computes from its arguments and what it is given | the same |
/// | sends, writes, prints, counts | again, once per fork |
/// | reads a clock, a file, a generator | may come to other sites: the run fails |
/// | awaits something else than a savepoint | the run fails |
///
/// ```
/// use greenroom::world::{Handlers, Replay, Run, Site, World};
///
/// const PICK: Site = Site::named("pick");
///
/// let program = Replay::new(|offers| async move {
///     let first = offers.offer(PICK, 1).await;
///     let second = offers.offer(PICK, first).await;
///     first * second
/// });
/// let mut run = Run::start(World::new(), program, &Handlers::new().on_any(|_savepoint| ()));
/// run.resume(6)?;
/// let mut fork = run.fork()?;
/// run.resume(7)?;
/// fork.resume(100)?;
/// assert_eq!((run.output(), fork.output()), (Some(&42), Some(&600)));
/// # Ok::<(), greenroom::Error>(())
/// ```
pub struct Replay<V, O> {
    make: Arc<dyn Fn(Offers<V>) -> Running<O> + Send + Sync>,
    given: Vec<(Site, V)>,
    /// The site that it waits at, if it was there.
    site: Option<Site>,
    /// None in a fork that has not gone on. The lock is for `Sync` alone, and never taken.
    live: Mutex<Option<Live<V, O>>>,
}

type Running<O> = Pin<Box<dyn Future<Output = O> + Send>>;

struct Live<V, O> {
    future: Running<O>,
    offers: Offers<V>,
}

/// What the function of a [`Replay`] offers its values by.
pub struct Offers<V>(Arc<Mutex<Board<V>>>);

/// What lies between the function and the program.
struct Board<V> {
    offer: Option<(Site, V)>,
    answer: Option<V>,
}

impl<V> Offers<V> {
    fn new() -> Self {
        let (offer, answer) = (None, None);
        Self(Arc::new(Mutex::new(Board { offer, answer })))
    }

    /// A savepoint: what its handler resumes it with.
    pub async fn offer(&self, site: Site, payload: V) -> V {
        let mut payload = Some(payload);
        poll_fn(|_| {
            let mut board = self.0.lock();
            if let Some(payload) = payload.take() {
                board.offer = Some((site, payload));
                return Poll::Pending;
            }
            board.answer.take().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Why a [`Replay`] has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayError {
    /// It awaits something that is no savepoint.
    Elsewhere,
    /// Run again with the same values it came to another site.
    Diverged,
    /// It has come to more savepoints than are remembered.
    TooLong,
}

impl<V: Clone + Send + Sync + 'static, O: Send + 'static> Replay<V, O> {
    /// The program that this function is.
    pub fn new<F>(function: impl Fn(Offers<V>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = O> + Send + 'static,
    {
        Self {
            make: Arc::new(move |offers| Box::pin(function(offers))),
            given: Vec::new(),
            site: None,
            live: Mutex::new(None),
        }
    }

    /// The future, brought to where the values that were given have brought its source.
    fn replayed(&self) -> Result<Live<V, O>, ReplayError> {
        let offers = Offers::new();
        let future = (self.make)(Offers(offers.0.clone()));
        let mut live = Live { future, offers };
        for (site, value) in &self.given {
            match live.poll()? {
                Found::Offer(found, _) if found == *site => live.answer(value.clone()),
                Found::Offer(..) | Found::End(_) => return Err(ReplayError::Diverged),
            }
        }
        Ok(live)
    }

    fn go_on(&mut self, value: Option<V>) -> Result<Found<V, O>, ReplayError> {
        let last = self.live.lock().take();
        let is_fork = last.is_none() && self.site.is_some();
        let mut live = match last {
            Some(live) => live,
            None => self.replayed()?,
        };
        if let (Some(value), Some(site)) = (value, self.site) {
            if self.given.len() == REPLAY_SITES {
                return Err(ReplayError::TooLong);
            }
            if is_fork && !matches!(live.poll()?, Found::Offer(found, _) if found == site) {
                return Err(ReplayError::Diverged);
            }
            self.given.push((site, value.clone()));
            live.answer(value);
        }
        let found = live.poll()?;
        if let Found::Offer(site, _) = found {
            self.site = Some(site);
            *self.live.lock() = Some(live);
        }
        Ok(found)
    }
}

/// Where a poll has got to.
enum Found<V, O> {
    Offer(Site, V),
    End(O),
}

impl<V, O> Live<V, O> {
    fn poll(&mut self) -> Result<Found<V, O>, ReplayError> {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(output) = self.future.as_mut().poll(&mut context) {
            return Ok(Found::End(output));
        }
        let offer = self.offers.0.lock().offer.take();
        offer.map_or(Err(ReplayError::Elsewhere), |(site, payload)| {
            Ok(Found::Offer(site, payload))
        })
    }

    fn answer(&mut self, value: V) {
        self.offers.0.lock().answer = Some(value);
    }
}

impl<V: Clone + Send + Sync + 'static, O: Send + 'static> Program for Replay<V, O> {
    type Payload = V;
    type Value = V;
    type Output = O;
    type Error = ReplayError;

    fn step(&mut self, _: &mut Scope<'_>, value: Option<V>) -> Step<Self> {
        match self.go_on(value) {
            Ok(Found::Offer(site, payload)) => Step::savepoint(site, payload),
            Ok(Found::End(output)) => Step::Done(output),
            Err(error) => Step::Failed(error),
        }
    }
}

impl<V: Clone, O> Clone for Replay<V, O> {
    fn clone(&self) -> Self {
        Self {
            make: self.make.clone(),
            given: self.given.clone(),
            site: self.site,
            live: Mutex::new(None),
        }
    }
}

impl<V, O> fmt::Debug for Replay<V, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("given", &self.given.len())
            .finish_non_exhaustive()
    }
}

impl<V> fmt::Debug for Offers<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offers").finish_non_exhaustive()
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elsewhere => "the function awaits something that is no savepoint",
            Self::Diverged => "run again, the function came to another site",
            Self::TooLong => "the function has come to more savepoints than are remembered",
        })
    }
}

impl std::error::Error for ReplayError {}
