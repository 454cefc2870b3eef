//! Options for a runtime of one's own, or for a scheduler on somebody else's.

use std::sync::Arc;

use tokio::runtime::RuntimeFlavor;

use self::host::{Flavor, HostOptions};
use super::error::{AttachError, BuildError, Problem, require};
use super::executor::Executor;
use super::handle::Handle;
use super::hooks::Hook;
use super::host::tokio::{Attach, OtherOptions, attach};
use super::options::Options;
use super::runtime::Runtime;
use super::threads::Threads;
use crate::limits;

mod host;
mod tasks;
#[cfg(test)]
mod tests;
mod threads;

/// Builds a [`Runtime`], or attaches a scheduler with options to a tokio runtime.
///
/// What tokio's builder calls these options: the table in [`runtime`](super::runtime).
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
    host: HostOptions,
    options: Options,
}

/// # The runtime
impl Builder {
    pub(super) fn new() -> Self {
        Self {
            host: HostOptions::default(),
            options: Options::default(),
        }
    }

    /// One worker, on the thread that calls [`Runtime::block_on`].
    ///
    /// Tasks and actors run only while a thread is in `block_on`: otherwise an ask that blocks,
    /// by [`Request::blocking`](crate::Request::blocking), gets no reply.
    pub fn current_thread(mut self) -> Self {
        self.host.flavor = Some(Flavor::CurrentThread);
        self
    }

    /// A worker per thread of a pool. The default, with the feature `rt-multi-thread` that it
    /// needs.
    pub fn multi_thread(mut self) -> Self {
        self.host.flavor = Some(Flavor::MultiThread);
        self
    }

    /// Whether there is a driver for sockets, pipes, signals and processes: on by default, where
    /// tokio was compiled with any of them. The driver for time is always on.
    pub fn io_driver(mut self, on: bool) -> Self {
        self.host.io_driver = Some(on);
        self
    }

    /// Every so many polls by tokio its workers look for I/O and timers.
    ///
    /// A worker of ours is one task among tokio's: one poll of it by tokio is a turn of up to
    /// [`Builder::polls_per_turn`] polls of ours or more.
    pub fn event_interval(mut self, polls: u32) -> Self {
        self.host.event_interval = Some(polls);
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
        self.host.start_paused = paused;
        self
    }

    /// Sets options of tokio's that this builder has no method for, which includes those that are
    /// not stable. It is called once per [`Builder::build`], before all else is set: where both
    /// say something, this builder has the last word, and it always sets the hooks on a thread's
    /// start and stop.
    ///
    /// ```
    /// # use greenroom::Runtime;
    /// # fn main() -> Result<(), greenroom::Error> {
    /// let runtime = Runtime::builder()
    ///     .configure_tokio(|tokio| {
    ///         tokio.global_queue_interval(31); // of tokio's own tasks
    ///     })
    ///     .build()?;
    /// # drop(runtime);
    /// # Ok(()) }
    /// ```
    pub fn configure_tokio<F>(mut self, configure: F) -> Self
    where
        F: Fn(&mut tokio::runtime::Builder) + Send + Sync + 'static,
    {
        self.host.configure_tokio = Some(Hook::new(Arc::new(configure)));
        self
    }

    /// Builds the runtime.
    ///
    /// # Errors
    ///
    /// If an option is not valid, or the operating system refuses drivers.
    ///
    /// # Panics
    ///
    /// If the operating system refuses threads, as tokio's `build`.
    pub fn build(self) -> Result<Runtime, BuildError> {
        self.check_options()?;
        let fits = self.host.flavor() == Flavor::CurrentThread || self.options.seed.is_none();
        require(fits, "seed", "needs `current_thread()`")?;
        let threads = Arc::new(Threads::default());
        let host = self.host.build(&threads)?;
        Ok(Runtime::start(host, &self.options, threads))
    }

    /// Takes over a tokio runtime that was built elsewhere, and ends it with the scheduler. For
    /// greenroom-tokio.
    #[doc(hidden)]
    pub fn adopt(self, tokio: tokio::runtime::Runtime) -> Result<Runtime, BuildError> {
        self.check_options()?;
        Ok(Runtime::start(tokio, &self.options, Arc::default()))
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
            Ok(shared) => Ok(Handle::new(Executor::from_shared(shared), runtime.clone())),
            Err(OtherOptions(name)) => Err(AttachError::already_attached(name)),
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

    /// What must hold to attach: options of the host itself come too late.
    fn check_attached(&self, flavor: RuntimeFlavor) -> Result<(), Problem> {
        if let Some(option) = self.host.any_set() {
            let reason = "is the runtime's own: it was built already";
            return Err(Problem { option, reason });
        }
        let is_current_thread = flavor == RuntimeFlavor::CurrentThread;
        let reason = "is not what the runtime was built as";
        match self.host.flavor {
            Some(Flavor::CurrentThread) => require(is_current_thread, "current_thread", reason)?,
            Some(Flavor::MultiThread) => require(!is_current_thread, "multi_thread", reason)?,
            None => {}
        }
        let fits = is_current_thread || self.options.seed.is_none();
        require(fits, "seed", "needs a current-thread runtime")
    }
}
