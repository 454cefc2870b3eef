//! Pools: workers with mailboxes of their own, one of which is picked for each message.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::builder::PoolBuilder;
use super::error::PoolError;
use super::seats::{Seats, raw};
use crate::actor::{Actor, Handler, Local, Request, Tell, TellError, WeakHandle};
use crate::group::Broadcast;

/// Who of a pool's workers gets a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Routing {
    /// One after the other.
    #[default]
    RoundRobin,
    /// The one with the fewest messages in its mailbox and in line for it; among equals, one after
    /// the other. What it handles at the time does not count.
    LeastLoaded,
}

/// Workers of one type, one of which gets each message.
///
/// ```
/// use greenroom::{Pool, Routing, actor};
///
/// #[actor]
/// struct Hasher;
///
/// #[actor]
/// impl Hasher {
///     fn hash(&mut self, text: String) -> usize { text.len() }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let pool = Pool::builder(|| Hasher).size(4).routing(Routing::LeastLoaded).spawn()?;
/// assert_eq!(pool.pick().hash("one".into()).await?, 3); // a method of the worker that is picked
/// assert_eq!(pool.ask(HasherHash { text: "two".into() }).await?, 3); // by message value
/// assert_eq!(pool.by_key("user 7").hash("three".into()).await?, 5); // always the same worker
/// pool.resize(2)?;
/// # Ok(()) }
/// ```
///
/// - **Each worker has a mailbox.** So messages through one worker are in order, and one waits
///   although another worker is idle; a [`WorkQueue`](crate::WorkQueue) has one queue for all.
/// - **A worker that fails is restarted**, by the factory: what is in its mailbox waits, and only
///   the message at which it failed is lost, whose asker is told. One that ends otherwise is
///   replaced. Where this happens too often for the [`Intensity`](crate::Intensity), the pool has
///   failed: all its workers end after what they have accepted, and take no more;
///   [`Pool::failure`] says why.
/// - **Pool, clones and picks keep workers.** As the last clone is dropped, the workers handle what
///   they have accepted, and end. So does one that a smaller size leaves out; a handle that was
///   picked before keeps it until then, but a failure is not made good any more.
pub struct Pool<A: Actor> {
    seats: Arc<Seats<A>>,
    routing: Routing,
}

impl<A: Actor> Pool<A> {
    /// A pool of what `factory` makes, to be spawned.
    pub fn builder<F>(factory: F) -> PoolBuilder<A>
    where
        F: Fn() -> A + Send + Sync + 'static,
    {
        PoolBuilder::new(factory)
    }

    pub(super) fn new(seats: Arc<Seats<A>>, routing: Routing) -> Self {
        Self { seats, routing }
    }

    /// The worker for the next message. Once the pool has failed, one that has ended.
    #[must_use]
    pub fn pick(&self) -> A::Handle<Local> {
        match self.routing {
            Routing::RoundRobin => self.seats.next(),
            Routing::LeastLoaded => self.seats.least_loaded(),
        }
    }

    /// The worker for a key, always the same. Where the size changes, as few keys as can be get
    /// another: of `n + 1` workers the new one takes a share of each other's.
    pub fn by_key<K: Hash + ?Sized>(&self, key: &K) -> A::Handle<Local> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        self.seats.by_hash(hasher.finish())
    }

    /// Asks the worker that is picked. Does nothing until it is awaited.
    pub fn ask<M: Send + 'static>(&self, message: M) -> Request<'static, A, M>
    where
        A: Handler<M>,
    {
        raw::<A>(&self.pick()).ask(message).into_owned()
    }

    /// Tells the worker that is picked, waiting for a slot of it. Does nothing until it is awaited.
    pub fn tell<M: Send + 'static>(&self, message: M) -> Tell<'static, A, M>
    where
        A: Handler<M>,
    {
        raw::<A>(&self.pick()).tell(message).into_owned()
    }

    /// Tells without waiting: the worker that is picked, or another if that has no free slot.
    ///
    /// # Errors
    ///
    /// When no worker has a free slot, or none takes messages any more; the message is handed back.
    pub fn try_tell<M: Send + 'static>(&self, message: M) -> Result<(), TellError<M>>
    where
        A: Handler<M>,
    {
        let picked = self.pick();
        let mut error = match raw::<A>(&picked).try_tell(message) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        for other in self.seats.workers() {
            if other != picked {
                error = match raw::<A>(&other).try_tell(error.into_message()) {
                    Ok(()) => return Ok(()),
                    Err(error) => error,
                };
            }
        }
        Err(error)
    }

    /// Tells all workers, without waiting. Who has no free slot does not get it.
    pub fn broadcast<M>(&self, message: M) -> Broadcast<M>
    where
        A: Handler<M>,
        M: Clone + Send + 'static,
    {
        let workers = self.seats.workers();
        Broadcast::to(workers.iter().map(raw::<A>), message)
    }

    /// Changes the number of workers: 1 to
    /// [`POOL_WORKERS_MAX`](crate::limits::POOL_WORKERS_MAX). It grows at once; the workers that
    /// are left out handle what they have accepted, and end.
    ///
    /// # Errors
    ///
    /// When the size is out of range, the pool has failed, or a worker is not spawned. Those that
    /// were stay.
    pub fn resize(&self, workers: usize) -> Result<(), PoolError> {
        self.seats.resize(workers)
    }

    /// How many workers there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.seats.len()
    }

    /// The workers.
    #[must_use]
    pub fn workers(&self) -> Vec<WeakHandle<A>> {
        let workers = self.seats.workers();
        workers.iter().map(|it| raw::<A>(it).downgrade()).collect()
    }

    /// How often a worker was restarted or replaced.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.seats.restarts()
    }

    /// Why it works no more, if so.
    #[must_use]
    pub fn failure(&self) -> Option<PoolError> {
        self.seats.failure()
    }

    /// Ends the pool for all its clones: workers take no more, handle what they have accepted, and
    /// end. Done when they have.
    ///
    /// # Cancel safety
    ///
    /// Dropped, it has told them to end if it was polled.
    pub async fn shutdown(&self) {
        self.seats.fail(PoolError::Ended);
        for worker in self.seats.workers() {
            raw::<A>(&worker).join().await;
        }
    }
}

impl<A: Actor> Clone for Pool<A> {
    fn clone(&self) -> Self {
        Self {
            seats: Arc::clone(&self.seats),
            routing: self.routing,
        }
    }
}

impl<A: Actor> fmt::Debug for Pool<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("size", &self.size())
            .field("routing", &self.routing)
            .field("restarts", &self.restarts())
            .field("failure", &self.failure())
            .finish_non_exhaustive()
    }
}
