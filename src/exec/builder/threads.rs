//! Options of a runtime's threads.

use std::sync::Arc;
use std::time::Duration;

use super::Builder;
use super::host::ThreadName;
use crate::exec::hooks::Hook;

/// # Threads
///
/// For runtimes that are built. The hooks run on the thread itself; a panic in one is reported as a
/// `tracing` event, and the thread goes on.
impl Builder {
    /// Threads of the pool; as many as the machine has cores unless said otherwise, and
    /// [`limits::WORKERS_MAX`](crate::limits::WORKERS_MAX) at most. A current-thread runtime has
    /// one, and no other number is valid there.
    pub fn worker_threads(mut self, count: usize) -> Self {
        self.host.worker_threads = Some(count);
        self
    }

    /// Most threads for blocking jobs, beside the workers: 512 unless said otherwise. Further jobs
    /// wait for one.
    pub fn max_blocking_threads(mut self, count: usize) -> Self {
        self.host.max_blocking_threads = Some(count);
        self
    }

    /// The name of all threads: workers, and those for blocking jobs.
    pub fn thread_name(mut self, name: impl Into<String>) -> Self {
        self.host.thread_name = Some(ThreadName::Always(name.into()));
        self
    }

    /// What names each thread that starts. It replaces [`Builder::thread_name`], and must not use
    /// the runtime: tokio calls it with a lock held.
    pub fn thread_name_fn<F>(mut self, name: F) -> Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.host.thread_name = Some(ThreadName::By(Hook::new(Arc::new(name))));
        self
    }

    /// Bytes of stack of each thread.
    pub fn thread_stack_size(mut self, bytes: usize) -> Self {
        self.host.thread_stack_size = Some(bytes);
        self
    }

    /// How long a thread for blocking jobs waits for the next one before it ends: 10 s unless said
    /// otherwise.
    pub fn thread_keep_alive(mut self, idle: Duration) -> Self {
        self.host.thread_keep_alive = Some(idle);
        self
    }

    /// Runs on each thread that starts: workers, and those for blocking jobs.
    pub fn on_thread_start<F>(mut self, hook: F) -> Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.host.on_thread_start = Some(Hook::new(Arc::new(hook)));
        self
    }

    /// Runs on each thread before it ends.
    pub fn on_thread_stop<F>(mut self, hook: F) -> Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.host.on_thread_stop = Some(Hook::new(Arc::new(hook)));
        self
    }

    /// Runs on a worker's thread before it waits for something to do.
    pub fn on_thread_park<F>(mut self, hook: F) -> Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.host.on_thread_park = Some(Hook::new(Arc::new(hook)));
        self
    }

    /// Runs on a worker's thread after it has waited.
    pub fn on_thread_unpark<F>(mut self, hook: F) -> Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.host.on_thread_unpark = Some(Hook::new(Arc::new(hook)));
        self
    }
}
