//! Tasks that are joined in the order in which they end.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::mem;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};

use tokio::task::coop;

use super::blocking::spawn_blocking;
use super::handle::Handle;
use super::spawn::spawn;
use crate::id::Id;
use crate::sync::Mutex;
use crate::task::{AbortHandle, JoinError, JoinHandle, Wait};

/// What a task of a set ended with.
type Outcome<T> = Result<T, JoinError>;

/// A set of tasks, to await whichever ends next.
///
/// It is tokio's `JoinSet` on our tasks: outputs come in the order in which the tasks end, and
/// dropping the set aborts what is in it.
///
/// ```
/// # use greenroom::JoinSet;
/// # #[tokio::main] async fn main() {
/// let mut set: JoinSet<u64> = (1..=3).map(|n| async move { n * n }).collect();
/// set.spawn(async { 16 });
/// set.spawn_blocking(|| 25);
/// let mut sum = 0;
/// while let Some(square) = set.join_next().await {
///     sum += square.expect("none panics, and nobody aborts");
/// }
/// assert_eq!(sum, 55);
/// # }
/// ```
pub struct JoinSet<T> {
    /// The tasks, by the index that their wakers know.
    tasks: Vec<Option<JoinHandle<T>>>,
    /// Indices that are free.
    free: Vec<usize>,
    ended: Arc<Mutex<Ended>>,
}

/// What wakers of tasks and the set share.
#[derive(Default)]
struct Ended {
    /// Tasks that have ended and were not joined, oldest first.
    indices: VecDeque<usize>,
    /// Whoever awaits the next.
    waker: Option<Waker>,
}

/// The waker of one task: it is woken once, at the task's end.
struct Entry {
    index: usize,
    ended: Arc<Mutex<Ended>>,
}

impl Wake for Entry {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let waker = {
            let mut ended = self.ended.lock();
            ended.indices.push_back(self.index);
            ended.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> JoinSet<T> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tasks: Vec::new(),
            free: Vec::new(),
            ended: Arc::default(),
        }
    }

    /// How many tasks are in the set, ended or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len() - self.free.len()
    }

    /// Whether no task is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes what has ended first.
    fn take_ended(&mut self) -> Option<(Id, Outcome<T>)> {
        loop {
            let index = self.ended.lock().indices.pop_front()?;
            if let Some(task) = self.tasks[index].take() {
                self.free.push(index);
                let id = task.id();
                let outcome = task
                    .output()
                    .expect("only the end of a task wakes its entry");
                return Some((id, outcome));
            }
        }
    }

    /// Leaves a waker for the next end, unless something has ended. Its clone and drop are user
    /// code, so they come outside of the lock.
    fn park(&mut self, waker: &Waker) -> Poll<()> {
        let is_known = |ended: &Ended| {
            let old = ended.waker.as_ref();
            old.is_some_and(|old| old.will_wake(waker))
        };
        if is_known(&self.ended.lock()) {
            return Poll::Pending;
        }
        let mut other = Some(waker.clone());
        let mut ended = self.ended.lock();
        if !ended.indices.is_empty() {
            return Poll::Ready(());
        }
        mem::swap(&mut ended.waker, &mut other);
        drop(ended);
        Poll::Pending
    }
}

impl<T: 'static> JoinSet<T> {
    /// Spawns a task into the set, as [`spawn`](fn@crate::spawn) does.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(spawn(future))
    }

    /// Spawns a task on a scheduler into the set, as [`Handle::spawn`] does.
    #[track_caller]
    pub fn spawn_on<F>(&mut self, future: F, scheduler: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.insert(scheduler.spawn(future))
    }

    /// Runs a job that blocks, as [`spawn_blocking`] does, and has it in the set.
    ///
    /// # Panics
    ///
    /// As [`spawn_blocking`].
    #[track_caller]
    pub fn spawn_blocking<F>(&mut self, job: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(spawn_blocking(job))
    }

    /// As [`JoinSet::spawn_blocking`], on the blocking pool of a scheduler's runtime.
    #[track_caller]
    pub fn spawn_blocking_on<F>(&mut self, job: F, scheduler: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.insert(scheduler.spawn_blocking(job))
    }

    /// Puts a task into the set that was spawned otherwise, say by a
    /// [`TaskBuilder`](crate::TaskBuilder).
    ///
    /// # Panics
    ///
    /// If the handle has given its output already.
    #[track_caller]
    pub fn insert(&mut self, mut task: JoinHandle<T>) -> AbortHandle {
        let abort = task.abort_handle();
        let entry = Arc::new(Entry {
            index: self.free.last().copied().unwrap_or(self.tasks.len()),
            ended: Arc::clone(&self.ended),
        });
        let is_over = task.watch(&Waker::from(Arc::clone(&entry))) == Wait::Over;
        if self.free.pop().is_some() {
            self.tasks[entry.index] = Some(task);
        } else {
            self.tasks.push(Some(task));
        }
        if is_over {
            entry.wake();
        }
        abort
    }

    /// Waits for the next task to end; `None` if the set is empty.
    ///
    /// Cancel safe: dropped before it is done, it has taken no task out of the set.
    ///
    /// # Errors
    ///
    /// The inner result says that the task panicked, or was aborted.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        poll_fn(|cx| self.poll_join_next(cx)).await
    }

    /// As [`JoinSet::join_next`], with the task's id; that of a task which failed is in its error.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        poll_fn(|cx| self.poll_join_next_with_id(cx)).await
    }

    /// Takes a task that has ended already, if there is one.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
        self.take_ended().map(|(_, outcome)| outcome)
    }

    /// As [`JoinSet::try_join_next`], with the task's id.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn try_join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
        self.take_ended().map(with_id)
    }

    /// Waits for all tasks; gives their outputs in the order in which they ended.
    ///
    /// # Panics
    ///
    /// If a task panicked, with its panic, or was aborted. What is still in the set is aborted
    /// then; use [`JoinSet::join_next`] to handle errors.
    pub async fn join_all(mut self) -> Vec<T> {
        let mut outputs = Vec::with_capacity(self.len());
        while let Some(outcome) = self.join_next().await {
            match outcome.map_err(JoinError::try_into_panic) {
                Ok(output) => outputs.push(output),
                Err(Ok(payload)) => resume_unwind(payload),
                Err(Err(error)) => panic!("{error}"),
            }
        }
        outputs
    }

    /// Aborts all tasks, and waits until their futures are gone. What they end with, panics too,
    /// is dropped.
    pub async fn shutdown(&mut self) {
        self.abort_all();
        while self.join_next().await.is_some() {}
    }

    /// Aborts all tasks. They stay in the set: join them to know that they have ended.
    pub fn abort_all(&mut self) {
        self.tasks.iter().flatten().for_each(JoinHandle::abort);
    }

    /// Takes all tasks out of the set; they run on.
    pub fn detach_all(&mut self) {
        // With the old queue goes whoever is about to be noted as ended.
        let waker = self.ended.lock().waker.take();
        self.ended = Arc::new(Mutex::new(Ended {
            indices: VecDeque::new(),
            waker,
        }));
        self.free.clear();
        self.tasks.clear();
    }

    /// Takes the next task that has ended; `None` if the set is empty.
    ///
    /// While it is pending, the waker of the latest call is woken when a task ends, or when the
    /// caller's budget allows to go on.
    ///
    /// # Errors
    ///
    /// As [`JoinSet::join_next`].
    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        let next = ready!(self.poll_ended(cx));
        Poll::Ready(next.map(|(_, outcome)| outcome))
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
        let next = ready!(self.poll_ended(cx));
        Poll::Ready(next.map(with_id))
    }

    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<Option<(Id, Outcome<T>)>> {
        if self.is_empty() {
            return Poll::Ready(None);
        }
        let budget = ready!(coop::poll_proceed(cx));
        loop {
            if let Some(next) = self.take_ended() {
                budget.made_progress();
                return Poll::Ready(Some(next));
            }
            ready!(self.park(cx.waker()));
        }
    }
}

fn with_id<T>((id, outcome): (Id, Outcome<T>)) -> Result<(Id, T), JoinError> {
    outcome.map(|output| (id, output))
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.tasks.iter().flatten().for_each(JoinHandle::abort);
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.len()).finish()
    }
}

/// Spawns each future into the set.
impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, futures: I) {
        for future in futures {
            self.spawn(future);
        }
    }
}

/// Spawns each future into a new set.
impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        let mut set = Self::new();
        set.extend(futures);
        set
    }
}
