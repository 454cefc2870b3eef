//! tokio's builder, with the scheduler put on what it builds.

use std::fmt;
use std::io;
use std::time::Duration;

use tokio::runtime::{LocalOptions, LocalRuntime};

use super::Runtime;

/// Builds a [`Runtime`] from tokio's options.
pub struct Builder {
    tokio: tokio::runtime::Builder,
    scheduler: greenroom::runtime::Builder,
}

/// Methods that only pass on what they are given.
macro_rules! pass_on {
    ($($(#[$meta:meta])* $name:ident($($value:ident: $type:ty)?);)*) => {$(
        $(#[$meta])*
        #[track_caller]
        pub fn $name(&mut self $(, $value: $type)?) -> &mut Self {
            self.tokio.$name($($value)?);
            self
        }
    )*};
}

impl Builder {
    /// A runtime whose tasks run on the thread that is in its `block_on`.
    #[must_use]
    pub fn new_current_thread() -> Self {
        Self::new(tokio::runtime::Builder::new_current_thread())
    }

    /// A runtime with a pool of workers.
    #[cfg(feature = "rt-multi-thread")]
    #[must_use]
    pub fn new_multi_thread() -> Self {
        Self::new(tokio::runtime::Builder::new_multi_thread())
    }

    fn new(tokio: tokio::runtime::Builder) -> Self {
        Self {
            tokio,
            scheduler: greenroom::Runtime::builder(),
        }
    }

    pass_on! {
        /// Turns on the drivers for I/O and time, as far as there are features for them.
        enable_all();
        /// Turns on the driver for I/O.
        enable_io();
        /// Turns on the driver for time.
        enable_time();
        /// Threads of the pool; by default, as many as the machine has cores.
        ///
        /// # Panics
        ///
        /// If it is 0.
        worker_threads(count: usize);
        /// Most threads beside the workers, for blocking functions.
        ///
        /// # Panics
        ///
        /// If it is 0.
        max_blocking_threads(count: usize);
        /// The name of the threads.
        thread_name(name: impl Into<String>);
        /// The name of the runtime.
        name(name: impl Into<String>);
        /// Bytes of stack for each thread.
        thread_stack_size(bytes: usize);
        /// How long a thread for blocking functions waits for the next before it ends.
        thread_keep_alive(duration: Duration);
        /// Every so many ticks of tokio's own scheduler it looks for events; a tick runs a task of
        /// tokio's, or a batch of greenroom's.
        ///
        /// # Panics
        ///
        /// If it is 0.
        event_interval(ticks: u32);
        /// Most I/O events to take at once.
        ///
        /// # Panics
        ///
        /// If it is 0.
        max_io_events_per_tick(count: usize);
        /// Most I/O events to take at once while there is other work.
        ///
        /// # Panics
        ///
        /// If it is 0.
        max_io_events_per_busy_tick(count: usize);
        /// Starts with the clock paused; for current-thread runtimes.
        #[cfg(feature = "test-util")]
        start_paused(paused: bool);
    }

    /// Names each thread by a function.
    pub fn thread_name_fn<F>(&mut self, name: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.tokio.thread_name_fn(name);
        self
    }

    /// Runs a function when a thread starts.
    pub fn on_thread_start<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.tokio.on_thread_start(hook);
        self
    }

    /// Runs a function before a thread ends.
    pub fn on_thread_stop<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.tokio.on_thread_stop(hook);
        self
    }

    /// Runs a function before a worker goes to sleep.
    pub fn on_thread_park<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.tokio.on_thread_park(hook);
        self
    }

    /// Runs a function after a worker has woken up.
    pub fn on_thread_unpark<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.tokio.on_thread_unpark(hook);
        self
    }

    /// Every so many picks, of greenroom's scheduler and of tokio's, the global queue goes before
    /// the worker's own.
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn global_queue_interval(&mut self, picks: u32) -> &mut Self {
        self.tokio.global_queue_interval(picks);
        self.scheduler = self.scheduler.clone().global_queue_interval(picks);
        self
    }

    /// Builds the runtime, and puts the scheduler on it.
    ///
    /// # Errors
    ///
    /// If the operating system refuses threads or drivers.
    pub fn build(&mut self) -> io::Result<Runtime> {
        Runtime::start(self.tokio.build()?, self.scheduler.clone())
    }

    /// Builds a runtime of tokio's that stays on its thread. `tokio::spawn` inside it puts the
    /// scheduler on it; its own `spawn_local` is tokio's.
    ///
    /// # Errors
    ///
    /// If the operating system refuses drivers.
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        self.tokio.build_local(options)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokio.fmt(f)
    }
}
