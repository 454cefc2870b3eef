//! How a runtime of one's own ends, and what is left if it does not in time.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime, RuntimeFlavor};
use tokio::task::coop;

use super::executor::before_blocking;
use super::hooks::{TaskKind, TaskMeta};
use super::host::tokio::{Shared, remove};
use super::threads::Threads;
use crate::id::Id;
use crate::limits;
use crate::task::Unit;

/// How a shutdown with a limit went.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::Runtime;
/// # fn main() -> Result<(), greenroom::Error> {
/// let runtime = Runtime::new()?;
/// runtime.spawn(std::future::pending::<()>());
/// let shutdown = runtime.shutdown_timeout(Duration::from_secs(10));
/// assert_eq!(shutdown.left, 0);
/// assert_eq!(shutdown.to_string(), "everything has ended");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shutdown {
    /// Tasks and actors that had not ended: each is in a poll that did not return in time, waits
    /// for a worker that is in one, or was just being woken by another thread, which ends it then.
    pub left: usize,
    /// Some of them, [`limits::STRAGGLERS_MAX`] at most, and those that are in a poll first.
    pub stragglers: Vec<Straggler>,
    /// Threads of the runtime that had not ended: each is in such a poll, or in a blocking job.
    pub threads: usize,
}

/// A task or an actor that had not ended when its runtime should have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Straggler {
    /// Which one it is.
    pub id: Id,
    /// Whether it is a task or an actor.
    pub kind: TaskKind,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The call that spawned it.
    pub spawned_at: &'static Location<'static>,
    /// It is in a poll; otherwise it waits for a worker.
    pub is_running: bool,
}

impl Shutdown {
    pub(super) fn read(shared: &Shared, threads: &Threads) -> Self {
        let owned = shared.core().owned();
        let most = limits::STRAGGLERS_MAX;
        let mut units = owned.some(most, |header| header.state.load().is_running());
        let rest = owned.some(most - units.len(), |header| {
            units.iter().all(|unit| unit.header().id() != header.id())
        });
        units.extend(rest);
        Self {
            left: owned.len(),
            stragglers: units.iter().map(Straggler::of).collect(),
            threads: threads.count(),
        }
    }
}

impl Straggler {
    fn of(unit: &Unit) -> Self {
        let meta = TaskMeta::of(unit);
        Self {
            id: meta.id(),
            kind: meta.kind(),
            name: meta.name().map(str::to_owned),
            spawned_at: meta.spawned_at(),
            is_running: unit.header().state.load().is_running(),
        }
    }
}

impl fmt::Display for Straggler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if let Some(name) = &self.name {
            write!(f, "{name}#")?;
        }
        let doing = if self.is_running {
            "in a poll"
        } else {
            "waits for a worker"
        };
        write!(f, "{} ({doing}, spawned at {})", self.id, self.spawned_at)
    }
}

impl fmt::Display for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.left == 0 && self.threads == 0 {
            return f.write_str("everything has ended");
        }
        let Self { left, threads, .. } = self;
        write!(f, "threads left: {threads}, tasks and actors left: {left}")?;
        for (index, straggler) in self.stragglers.iter().enumerate() {
            write!(f, "{} {straggler}", if index == 0 { ":" } else { "," })?;
        }
        let unnamed = left.saturating_sub(self.stragglers.len());
        if unnamed > 0 {
            write!(f, ", and {unnamed} more")?;
        }
        Ok(())
    }
}

/// Where the end of a runtime is waited for.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// On this thread.
    Here,
    /// On a thread made for it, while this one waits for that: there is no limit to what may
    /// happen here, or another runtime is around, in which tokio might refuse to wait.
    Elsewhere,
    /// Nowhere: this thread must not wait.
    Nowhere,
}

impl Place {
    fn of(threads: &Threads, limit: Option<Duration>) -> Self {
        if limit == Some(Duration::ZERO) || threads.is_mine() || is_async_code() {
            return Self::Nowhere;
        }
        match Handle::try_current() {
            // tokio can't park a thread that is going down.
            Err(error) if error.is_thread_local_destroyed() => Self::Nowhere,
            Err(_) if limit.is_none() => Self::Here,
            _ => Self::Elsewhere,
        }
    }
}

/// Whether tokio is polling a future on this thread. Then there is a budget, which can be used up;
/// elsewhere, also in blocking jobs and sections, there is no end to it.
fn is_async_code() -> bool {
    let mut cx = Context::from_waker(Waker::noop());
    // Dropped last, it puts the budget back as it was.
    let Poll::Ready(_restore) = coop::poll_proceed(&mut cx) else {
        return true;
    };
    (0..u8::MAX).any(|_| match coop::poll_proceed(&mut cx) {
        Poll::Ready(unit) => {
            unit.made_progress();
            !coop::has_budget_remaining()
        }
        Poll::Pending => true,
    })
}

/// Ends a runtime: waits for it no longer than `limit`, and not where that is not allowed.
pub(super) fn shut_down(
    tokio: Runtime,
    shared: &Arc<Shared>,
    threads: &Threads,
    limit: Option<Duration>,
) {
    // A limit beyond the clock's range is none.
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    shared.close();
    match Place::of(threads, limit) {
        Place::Here => finish(tokio, shared, deadline),
        Place::Elsewhere => finish_elsewhere(tokio, shared, deadline),
        // The host drops the pumps on its workers, and the last one runs out what is left.
        Place::Nowhere => tokio.shutdown_background(),
    }
    remove(shared);
}

/// Waits for the pumps, and then for tokio.
fn finish(tokio: Runtime, shared: &Shared, deadline: Option<Instant>) {
    // Pumps of a current-thread runtime are not driven any more: tokio drops them, here.
    if tokio.handle().runtime_flavor() != RuntimeFlavor::CurrentThread {
        block_until(deadline, shared.wait_for_end());
    }
    match deadline {
        None => drop(tokio),
        Some(deadline) => {
            tokio.shutdown_timeout(deadline.saturating_duration_since(Instant::now()));
        }
    }
}

fn finish_elsewhere(tokio: Runtime, shared: &Arc<Shared>, deadline: Option<Instant>) {
    before_blocking();
    let (to_thread, from_here) = mpsc::channel();
    let (done, is_done) = mpsc::channel::<()>();
    let kept = Arc::clone(shared);
    let work = move || {
        // Moved in, so that it is dropped, and announces the end, also after a panic.
        let _done = done;
        if let Ok(tokio) = from_here.recv() {
            finish(tokio, &kept, deadline);
        }
    };
    let thread = thread::Builder::new().name("greenroom-shutdown".into());
    match thread.spawn(work) {
        Ok(thread) => {
            let _ = to_thread.send(tokio);
            if wait_until(deadline, &is_done) {
                let _ = thread.join();
            }
        }
        Err(_) => tokio.shutdown_background(),
    }
}

/// Says whether the other end was dropped in time.
fn wait_until(deadline: Option<Instant>, is_done: &Receiver<()>) -> bool {
    match deadline {
        None => is_done.recv().is_err(),
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            is_done.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Disconnected)
        }
    }
}

/// Wakes a thread that parks.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks until the future is done or the time has come. It needs no timer of tokio's, whose
/// workers may all be stuck.
fn block_until(deadline: Option<Instant>, future: impl Future<Output = ()>) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    while future
        .as_mut()
        .poll(&mut Context::from_waker(&waker))
        .is_pending()
    {
        match deadline {
            None => thread::park(),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                thread::park_timeout(left);
            }
        }
    }
}
