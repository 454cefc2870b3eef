//! Options for a runtime of one's own, or for a scheduler on somebody else's.

use super::error::{AttachError, BuildError, Problem};
use super::executor::Executor;
use super::handle::Handle;
use super::host::tokio::{Attach, attach};
use super::options::Options;
use super::runtime::Runtime;
use crate::limits;

#[cfg(test)]
mod tests;

/// Which kind of tokio runtime to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavor {
    CurrentThread,
    MultiThread,
}

const DEFAULT_FLAVOR: Flavor = if cfg!(feature = "rt-multi-thread") {
    Flavor::MultiThread
} else {
    Flavor::CurrentThread
};

/// Builds a [`Runtime`], or attaches a scheduler with options to a tokio runtime.
///
/// ```
/// # use greenroom::Runtime;
/// # fn main() -> Result<(), greenroom::Error> {
/// let runtime = Runtime::builder().current_thread().seed(7).build()?;
/// let sum = runtime.block_on(async { greenroom::spawn(async { 1 + 2 }).await })?;
/// assert_eq!(sum, 3);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build` or `attach`"]
pub struct Builder {
    flavor: Flavor,
    worker_threads: Option<usize>,
    thread_name: Option<String>,
    start_paused: bool,
    options: Options,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            flavor: DEFAULT_FLAVOR,
            worker_threads: None,
            thread_name: None,
            start_paused: false,
            options: Options::default(),
        }
    }

    /// One worker, on the thread that calls [`Runtime::block_on`].
    ///
    /// Tasks and actors run only while a thread is in `block_on`: otherwise an ask that blocks,
    /// by [`Request::blocking`](crate::Request::blocking), gets no reply.
    pub fn current_thread(mut self) -> Self {
        self.flavor = Flavor::CurrentThread;
        self
    }

    /// A worker per thread of a pool. The default, with the feature `rt-multi-thread` that it
    /// needs.
    pub fn multi_thread(mut self) -> Self {
        self.flavor = Flavor::MultiThread;
        self
    }

    /// Threads of the pool; as many as the machine has cores unless said otherwise.
    pub fn worker_threads(mut self, count: usize) -> Self {
        self.worker_threads = Some(count);
        self
    }

    /// The name of the pool's threads.
    pub fn thread_name(mut self, name: impl Into<String>) -> Self {
        self.thread_name = Some(name.into());
        self
    }

    /// Draws every scheduling choice from a generator with this seed, so that a run repeats. For
    /// current-thread runtimes, where nothing but the choices and outside events has influence.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Most polls of tasks and actors before tokio's own tasks and drivers get the thread.
    pub fn polls_per_turn(mut self, count: usize) -> Self {
        self.options.polls_per_turn = count;
        self
    }

    /// Most messages that an actor handles before others get their turn.
    pub fn messages_per_activation(mut self, count: usize) -> Self {
        self.options.messages_per_activation = count;
        self
    }

    /// Every so many picks the global queue goes before the worker's own.
    pub fn global_queue_interval(mut self, picks: u32) -> Self {
        self.options.global_queue_interval = picks;
        self
    }

    /// How many times in a row a worker runs first what was woken last. 0 turns it off.
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

    /// Starts with the clock paused; for current-thread runtimes. Time then stands still, and
    /// jumps to the next timer when nothing else is to do.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::Runtime;
    /// # fn main() -> Result<(), greenroom::Error> {
    /// # if cfg!(not(feature = "test-util")) { return Ok(()); }
    /// let runtime = Runtime::builder().current_thread().start_paused(true).build()?;
    /// runtime.block_on(async {
    ///     tokio::time::sleep(Duration::from_secs(3600)).await; // over at once
    /// });
    /// # Ok(()) }
    /// ```
    pub fn start_paused(mut self, paused: bool) -> Self {
        self.start_paused = paused;
        self
    }

    /// Builds the runtime.
    ///
    /// # Errors
    ///
    /// If an option is not valid, or the operating system refuses threads or drivers.
    pub fn build(self) -> Result<Runtime, BuildError> {
        self.check_options()?;
        self.check_host()?;
        let mut host = host(self.flavor)?;
        host.enable_all();
        if let Some(count) = self.worker_threads {
            host.worker_threads(count);
        }
        if let Some(name) = self.thread_name {
            host.thread_name(name);
        }
        if self.start_paused {
            pause(&mut host)?;
        }
        Ok(Runtime::start(host.build()?, &self.options))
    }

    /// Attaches a scheduler with these options to the runtime, or finds one that has them.
    ///
    /// ```
    /// # use greenroom::Runtime;
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let options = Runtime::builder().messages_per_activation(16);
    /// options.attach(&tokio::runtime::Handle::current())?; // before the first spawn
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// If an option is not valid on this runtime, or it has a scheduler with other options: the
    /// first spawn inside it attaches one with the defaults.
    pub fn attach(self, runtime: &tokio::runtime::Handle) -> Result<Handle, AttachError> {
        self.check_options()?;
        self.check_attached(runtime.runtime_flavor())?;
        match attach(runtime, Attach::With(&self.options)) {
            Ok(shared) => Ok(Handle(Executor::from_shared(shared))),
            Err(_) => Err(AttachError::ALREADY_ATTACHED),
        }
    }

    /// What must hold on every host.
    fn check_options(&self) -> Result<(), Problem> {
        let options = &self.options;
        let per_turn = 1..=limits::BATCH_MAX;
        require(
            per_turn.contains(&options.polls_per_turn),
            "polls_per_turn",
            "must be from 1 to `limits::BATCH_MAX`",
        )?;
        require(
            per_turn.contains(&options.messages_per_activation),
            "messages_per_activation",
            "must be from 1 to `limits::BATCH_MAX`",
        )?;
        require(
            options.global_queue_interval > 0,
            "global_queue_interval",
            "must not be zero",
        )
    }

    /// What must hold to build a host.
    fn check_host(&self) -> Result<(), Problem> {
        let is_current_thread = self.flavor == Flavor::CurrentThread;
        if let Some(count) = self.worker_threads {
            require(count > 0, "worker_threads", "must not be zero")?;
            let fits = count <= limits::WORKERS_MAX;
            require(fits, "worker_threads", "is beyond `limits::WORKERS_MAX`")?;
            let fits = !is_current_thread || count == 1;
            require(
                fits,
                "worker_threads",
                "must be 1 on a current-thread runtime",
            )?;
        }
        if let Some(name) = &self.thread_name {
            require(!name.contains('\0'), "thread_name", "must not contain NUL")?;
        }
        let fits = is_current_thread || self.options.seed.is_none();
        require(fits, "seed", "needs `current_thread()`")?;
        let fits = is_current_thread || !self.start_paused;
        require(fits, "start_paused", "needs `current_thread()`")
    }

    /// What must hold to attach: options of the host itself come too late.
    fn check_attached(&self, flavor: tokio::runtime::RuntimeFlavor) -> Result<(), Problem> {
        let too_late = "is the runtime's own: it was built already";
        require(self.worker_threads.is_none(), "worker_threads", too_late)?;
        require(self.thread_name.is_none(), "thread_name", too_late)?;
        require(!self.start_paused, "start_paused", too_late)?;
        let is_current_thread = flavor == tokio::runtime::RuntimeFlavor::CurrentThread;
        let fits = is_current_thread || self.options.seed.is_none();
        require(fits, "seed", "needs a current-thread runtime")
    }
}

fn require(holds: bool, option: &'static str, reason: &'static str) -> Result<(), Problem> {
    if holds {
        Ok(())
    } else {
        Err(Problem { option, reason })
    }
}

fn host(flavor: Flavor) -> Result<tokio::runtime::Builder, Problem> {
    match flavor {
        Flavor::CurrentThread => Ok(tokio::runtime::Builder::new_current_thread()),
        #[cfg(feature = "rt-multi-thread")]
        Flavor::MultiThread => Ok(tokio::runtime::Builder::new_multi_thread()),
        #[cfg(not(feature = "rt-multi-thread"))]
        Flavor::MultiThread => Err(Problem {
            option: "multi_thread",
            reason: "needs greenroom's feature `rt-multi-thread`",
        }),
    }
}

#[cfg(feature = "test-util")]
fn pause(host: &mut tokio::runtime::Builder) -> Result<(), Problem> {
    host.start_paused(true);
    Ok(())
}

#[cfg(not(feature = "test-util"))]
fn pause(_host: &mut tokio::runtime::Builder) -> Result<(), Problem> {
    Err(Problem {
        option: "start_paused",
        reason: "needs greenroom's feature `test-util`",
    })
}
