//! How tasks come to be.

use std::future::Future;
use std::panic::Location;

use super::executor::Executor;
use super::hooks::TaskMeta;
use super::owned::Closed;
use crate::id::Id;
use crate::task::{JoinHandle, Label, Plan, Priority, Schedule, Unit, is_large, new_planned};

/// Spawns a task on the scheduler of the current tokio runtime, attaching one if there is none yet.
///
/// It is what `tokio::spawn` is on tokio's own scheduler: the task starts without being awaited,
/// and dropping the handle detaches it. [`TaskBuilder`](crate::TaskBuilder) gives it a name or a
/// priority.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let words = greenroom::spawn(async { "hello, task".split(' ').count() });
/// assert_eq!(words.await?, 2);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a tokio runtime.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let spawned_at = Location::caller();
    if is_large::<F>() {
        spawn_here(Box::pin(future), spawned_at)
    } else {
        spawn_here(future, spawned_at)
    }
}

#[track_caller]
fn spawn_here<F>(future: F, spawned_at: &'static Location<'static>) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    match Executor::with_current(|executor| executor.spawn(future, spawned_at)) {
        Ok(handle) => handle,
        Err(error) => panic!("greenroom::spawn: {error}"),
    }
}

/// What may be said about a task that is spawned, apart from its future.
pub(super) struct Order<L> {
    pub(super) spawned_at: &'static Location<'static>,
    pub(super) priority: Priority,
    pub(super) label: L,
}

impl Executor {
    /// Spawns a task. If the executor is ending, its handle says that it was cancelled.
    pub(crate) fn spawn<F>(
        &self,
        future: F,
        spawned_at: &'static Location<'static>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.spawn_as(future, Order::usual(spawned_at))
    }

    /// As [`Executor::spawn`], with a priority and a name.
    pub(super) fn spawn_as<F, L>(&self, future: F, order: Order<L>) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
        L: Label,
    {
        let priority = order.priority;
        let (unit, handle) = new_planned(future, order.plan(self, Id::next()));
        match self.bind(&unit) {
            Ok(()) => self.queue(unit, priority),
            Err(Closed) => {
                // Queued all the same: its drop may spawn the next, and that must not nest.
                unit.cancel();
                self.shared().schedule(unit);
            }
        }
        handle
    }

    fn queue(&self, unit: Unit, priority: Priority) {
        match priority {
            Priority::Normal => self.shared().schedule(unit),
            Priority::Background => self.shared().schedule_background(unit),
        }
    }

    /// As [`Executor::spawn`], but after the end it gives the future back.
    pub(crate) fn try_spawn<F>(
        &self,
        future: F,
        spawned_at: &'static Location<'static>,
    ) -> Result<JoinHandle<F::Output>, F>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let id = Id::next();
        let hooks = &self.shared().options().hooks;
        hooks.spawned(|| TaskMeta::of_task(id, spawned_at));
        let mut future = Some(future);
        let make = || {
            let future = future.take().expect("it is made once");
            new_planned(future, Order::usual(spawned_at).plan(self, id))
        };
        match self.shared().core().owned().bind_with(id, make) {
            Ok((unit, handle)) => {
                self.shared().schedule(unit);
                Ok(handle)
            }
            Err(Closed) => {
                hooks.terminated(|| TaskMeta::of_task(id, spawned_at));
                Err(future.expect("what was refused was not made"))
            }
        }
    }
}

impl Order<()> {
    fn usual(spawned_at: &'static Location<'static>) -> Self {
        Self {
            spawned_at,
            priority: Priority::Normal,
            label: (),
        }
    }
}

impl<L> Order<L> {
    fn plan(self, executor: &Executor, id: Id) -> Plan<L> {
        Plan {
            scheduler: executor.scheduler(),
            id,
            spawned_at: self.spawned_at,
            priority: self.priority,
            label: self.label,
        }
    }
}
