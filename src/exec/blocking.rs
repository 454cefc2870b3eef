//! Jobs that block: units that tokio's blocking pool runs, once.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};

use tokio::runtime::Handle as Host;

use super::error::NoRuntime;
use crate::id::Id;
use crate::task::{Header, JoinHandle, Label, Plan, Priority, Schedule, Unit, new_planned};

/// Runs code that blocks on tokio's blocking pool, off the workers.
///
/// It is tokio's `spawn_blocking`, with the handle of a task: dropping the handle detaches the
/// job, and a panic is in the [`JoinError`](crate::JoinError). An abort takes effect only before
/// the job starts, and shows when a thread of the pool gets to the job. At its end the runtime
/// waits for what has started, within the limits of [`Runtime`](crate::Runtime)'s shutdown, and may
/// cancel what has not.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let size = greenroom::spawn_blocking(|| std::fs::metadata("Cargo.toml").map(|file| file.len()));
/// assert!(size.await?? > 0);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a tokio runtime; and if the operating system refuses the pool's first thread.
#[track_caller]
pub fn spawn_blocking<F, T>(job: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_here(job, ())
}

/// As [`spawn_blocking`], with a name.
#[track_caller]
pub(super) fn spawn_here<F, T, L>(job: F, label: L) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
    L: Label,
{
    match Host::try_current() {
        Ok(host) => spawn_on(&host, job, label),
        Err(_) => panic!("greenroom::spawn_blocking: {NoRuntime}"),
    }
}

/// As [`spawn_here`], on this runtime; cancelled at once after its end.
#[track_caller]
pub(super) fn spawn_on<F, T, L>(host: &Host, job: F, label: L) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
    L: Label,
{
    let plan = Plan {
        scheduler: Arc::clone(&POOL),
        id: Id::next(),
        spawned_at: Location::caller(),
        priority: Priority::Normal,
        label,
    };
    let (unit, handle) = new_planned(Job(Some(job)), plan);
    let queued = Queued(Some(unit));
    drop(host.spawn_blocking(move || queued.run()));
    handle
}

/// A future that is over after one poll, which blocks.
struct Job<F>(Option<F>);

// The closure is never pinned.
impl<F> Unpin for Job<F> {}

impl<F: FnOnce() -> T, T> Future for Job<F> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        let job = self.0.take().expect("a job is polled once");
        Poll::Ready(job())
    }
}

/// A job that waits for a thread of the pool. Dropped unrun, by a pool that ends or never took it,
/// it is cancelled.
struct Queued(Option<Unit>);

impl Queued {
    fn run(mut self) {
        if let Some(unit) = self.0.take() {
            unit.run();
        }
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        if let Some(unit) = self.0.take() {
            unit.refuse();
        }
    }
}

/// The scheduler of jobs, which has nothing to do: a job is queued at birth, and its one run is its
/// last. It is in no executor's list, so that an executor's end does not wait for it; the pool's
/// does.
struct Pool;

static POOL: LazyLock<Arc<dyn Schedule>> = LazyLock::new(|| Arc::new(Pool));

impl Schedule for Pool {
    fn schedule(&self, _: Unit) {
        unreachable!("a job is queued once, at birth");
    }

    fn schedule_yielded(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn unbind(&self, _: &Header) -> Option<Unit> {
        None
    }
}
