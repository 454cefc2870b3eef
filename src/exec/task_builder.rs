//! Tasks with a name or a priority.

use std::future::Future;
use std::panic::Location;

use super::blocking;
use super::executor::Executor;
use super::handle::Handle;
use super::spawn::Order;
use crate::task::{JoinHandle, Priority, is_large};

/// Spawns a task that has a name, or a priority.
///
/// The name is in the `Debug` of the task's handles, in the event about its panic, and in the
/// monitor's about a poll that does not return. A task without one costs nothing for it.
///
/// ```
/// # use greenroom::{Priority, TaskBuilder};
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let sweeper = TaskBuilder::new().name("sweeper").priority(Priority::Background);
/// let task = sweeper.spawn(async { 7 }); // when no worker finds anything else to run
/// assert!(format!("{task:?}").contains("sweeper"));
/// assert_eq!(task.await?, 7);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a builder does nothing until it spawns"]
pub struct TaskBuilder {
    name: Option<Box<str>>,
    priority: Priority,
}

impl TaskBuilder {
    /// A builder of tasks without a name, of normal priority.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the task is called.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into().into_boxed_str());
        self
    }

    /// How urgent the task is. It holds for the task's whole life, and not for what it spawns.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Spawns the task as [`spawn`](fn@crate::spawn) does.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let spawned_at = Location::caller();
        if is_large::<F>() {
            self.start_here(Box::pin(future), spawned_at)
        } else {
            self.start_here(future, spawned_at)
        }
    }

    /// Spawns the task on a scheduler, as [`Handle::spawn`] does.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, scheduler: &Handle) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (executor, spawned_at) = (scheduler.executor(), Location::caller());
        if is_large::<F>() {
            self.start(Box::pin(future), executor, spawned_at)
        } else {
            self.start(future, executor, spawned_at)
        }
    }

    #[track_caller]
    fn start_here<F>(
        self,
        future: F,
        spawned_at: &'static Location<'static>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match Executor::with_current(|executor| self.start(future, executor, spawned_at)) {
            Ok(handle) => handle,
            Err(error) => panic!("TaskBuilder::spawn: {error}"),
        }
    }

    fn start<F>(
        self,
        future: F,
        executor: &Executor,
        spawned_at: &'static Location<'static>,
    ) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let Self { name, priority } = self;
        match name {
            Some(label) => {
                let order = Order {
                    spawned_at,
                    priority,
                    label,
                };
                executor.spawn_as(future, order)
            }
            None => {
                let order = Order {
                    spawned_at,
                    priority,
                    label: (),
                };
                executor.spawn_as(future, order)
            }
        }
    }

    /// Runs a job on the blocking pool, as [`spawn_blocking`](crate::spawn_blocking) does. Its
    /// priority has no influence there.
    ///
    /// # Panics
    ///
    /// As [`spawn_blocking`](crate::spawn_blocking).
    #[track_caller]
    pub fn spawn_blocking<F, T>(self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match self.name {
            Some(name) => blocking::spawn_here(job, name),
            None => blocking::spawn_here(job, ()),
        }
    }
}
