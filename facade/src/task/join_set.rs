//! Sets of tasks.

use std::future::Future;
use std::task::{Context, Poll};

use greenroom::{AbortHandle, Id, JoinError};

use crate::runtime::Handle;

/// A set of tasks, to await whichever ends next; dropping it aborts them.
///
/// It is greenroom's [`JoinSet`](greenroom::JoinSet), and takes handles of this crate.
#[derive(Debug)]
pub struct JoinSet<T>(greenroom::JoinSet<T>);

impl<T> JoinSet<T> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self(greenroom::JoinSet::new())
    }

    /// How many tasks are in the set, ended or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no task is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// # Spawning
impl<T: 'static> JoinSet<T> {
    /// Spawns a task into the set.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, task: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.0.spawn(task)
    }

    /// Spawns a task on a runtime into the set.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, task: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.0.spawn_on(task, handle.scheduler())
    }

    /// Runs a function on a thread where it may block, and has it in the set.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, func: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.0.spawn_blocking(func)
    }

    /// Runs a function on a thread of a runtime where it may block, and has it in the set.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, func: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.0.spawn_blocking_on(func, handle.scheduler())
    }
}

/// # Joining and ending
impl<T: 'static> JoinSet<T> {
    /// Waits for the next task to end; `None` if the set is empty. It is cancel safe.
    ///
    /// # Errors
    ///
    /// If the task panicked, or was aborted.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.0.join_next().await
    }

    /// As [`JoinSet::join_next`], with the task's id.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.0.join_next_with_id().await
    }

    /// Takes a task that has ended; `None` if none has.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.0.try_join_next()
    }

    /// As [`JoinSet::try_join_next`], with the task's id.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.0.try_join_next_with_id()
    }

    /// Takes the next task that has ended; `None` if the set is empty. While it is pending, the
    /// waker of the latest call is woken.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        self.0.poll_join_next(cx)
    }

    /// As [`JoinSet::poll_join_next`], with the task's id.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn poll_join_next_with_id(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<(Id, T), JoinError>>> {
        self.0.poll_join_next_with_id(cx)
    }

    /// Waits for all tasks; gives their outputs in the order in which they ended.
    ///
    /// # Panics
    ///
    /// If a task panicked, with its panic, or was aborted.
    pub async fn join_all(self) -> Vec<T> {
        self.0.join_all().await
    }

    /// Aborts all tasks, and waits until their futures are gone.
    pub async fn shutdown(&mut self) {
        self.0.shutdown().await;
    }

    /// Aborts all tasks. They stay in the set: join them to know that they have ended.
    pub fn abort_all(&mut self) {
        self.0.abort_all();
    }

    /// Takes all tasks out of the set; they run on.
    pub fn detach_all(&mut self) {
        self.0.detach_all();
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, futures: I) {
        self.0.extend(futures);
    }
}

impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        Self(futures.into_iter().collect())
    }
}
