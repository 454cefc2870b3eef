//! Options of the scheduler, and hooks on what it runs.

use std::sync::Arc;

use super::Builder;
use crate::exec::hooks::{Hook, TaskMeta};
use crate::task::Observer;

/// # Tasks and actors
///
/// For runtimes that are built and for attaching.
impl Builder {
    /// Draws every scheduling choice from a generator with this seed, so that a run repeats. For
    /// current-thread runtimes, where nothing but the choices and outside events has influence.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Most polls of tasks and actors before tokio's own tasks and drivers get the thread:
    /// [`limits::POLLS_PER_TURN`](crate::limits::POLLS_PER_TURN) unless said otherwise, from 1 to
    /// [`limits::BATCH_MAX`](crate::limits::BATCH_MAX).
    pub fn polls_per_turn(mut self, count: usize) -> Self {
        self.options.polls_per_turn = count;
        self
    }

    /// Most messages that an actor handles before others get their turn:
    /// [`limits::MESSAGES_PER_ACTIVATION`](crate::limits::MESSAGES_PER_ACTIVATION) unless said
    /// otherwise, from 1 to [`limits::BATCH_MAX`](crate::limits::BATCH_MAX).
    pub fn messages_per_activation(mut self, count: usize) -> Self {
        self.options.messages_per_activation = count;
        self
    }

    /// Every so many picks the global queue goes before the worker's own:
    /// [`limits::GLOBAL_INTERVAL`](crate::limits::GLOBAL_INTERVAL) unless said otherwise.
    pub fn global_queue_interval(mut self, picks: u32) -> Self {
        self.options.global_queue_interval = picks;
        self
    }

    /// How many times in a row a worker runs first what was woken last:
    /// [`limits::LIFO_RUNS`](crate::limits::LIFO_RUNS) unless said otherwise. 0 turns it off.
    pub fn lifo_runs(mut self, count: usize) -> Self {
        self.options.lifo_runs = count;
        self
    }

    /// Whether a monitor looks after workers that are stuck in a poll: others then take what they
    /// hold, and if none is idle, a spare worker starts. On by default; it never looks at
    /// current-thread runtimes. Without it, a task that waits inside tokio's `block_in_place` for
    /// what it has just woken itself may wait for ever.
    pub fn monitor(mut self, on: bool) -> Self {
        self.options.monitor = on;
        self
    }

    /// Runs for each task and actor that is about to be spawned, in the call that spawns it.
    ///
    /// A panic in it is reported as a `tracing` event, and the spawn goes on. It is not called for
    /// tasks of tokio's own, nor for blocking jobs. A spawn that is refused because the runtime is
    /// ending counts as one that ends at once.
    ///
    /// ```
    /// # use greenroom::Runtime;
    /// # use std::sync::Arc;
    /// # use std::sync::atomic::{AtomicUsize, Ordering};
    /// # fn main() -> Result<(), greenroom::Error> {
    /// let live = Arc::new(AtomicUsize::new(0));
    /// let (more, less) = (live.clone(), live.clone());
    /// let runtime = Runtime::builder()
    ///     .on_task_spawn(move |task| {
    ///         println!("{} {} by {}", task.kind(), task.id(), task.spawned_at());
    ///         more.fetch_add(1, Ordering::Relaxed);
    ///     })
    ///     .on_task_terminate(move |_| {
    ///         less.fetch_sub(1, Ordering::Relaxed);
    ///     })
    ///     .build()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// assert_eq!(live.load(Ordering::Relaxed), 0);
    /// # Ok(()) }
    /// ```
    pub fn on_task_spawn<F>(mut self, hook: F) -> Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.options.hooks.spawn = Some(Hook::new(Arc::new(hook)));
        self
    }

    /// Runs for each task and actor that has ended, however it ended: its future or state is gone,
    /// and who joins it is told next. Once for each call of [`Builder::on_task_spawn`]'s hook.
    pub fn on_task_terminate<F>(mut self, hook: F) -> Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.options.hooks.terminate = Some(Hook::new(Arc::new(hook)));
        self
    }

    /// Has a panic in an actor end the process, by [`std::process::abort`]: in a handler, in a
    /// hook, or as its state is dropped. It is reported first, by the process's panic hook and as a
    /// `tracing` event. `#[on(panic)]` and supervisors are not asked.
    ///
    /// Without this a panic ends its actor, as those say.
    ///
    /// ```no_run
    /// # use greenroom::{Runtime, actor};
    /// # #[actor] struct Parser;
    /// # #[actor] impl Parser { fn parse(&mut self, s: String) -> u32 { s.parse().unwrap() } }
    /// # fn main() -> Result<(), greenroom::Error> {
    /// let runtime = Runtime::builder().abort_on_actor_panic(true).build()?;
    /// runtime.block_on(async {
    ///     let parser = Parser.spawn();
    ///     drop(parser.parse("seven".into()).await); // the process ends here
    /// });
    /// # Ok(()) }
    /// ```
    pub fn abort_on_actor_panic(mut self, on: bool) -> Self {
        self.options.abort_on_actor_panic = on;
        self
    }

    /// Who hears of messages that were not delivered: `on_undelivered`, which the actor module
    /// adds, has the type of what it is passed.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn observe(mut self, observer: Arc<Observer>) -> Self {
        self.options.hooks.undelivered = Some(Hook::new(observer));
        self
    }
}
