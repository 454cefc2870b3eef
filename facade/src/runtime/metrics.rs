//! Numbers about a runtime and the scheduler on it.

use std::ops::Deref;

use greenroom::runtime::Handle;

/// What tokio counts about its workers, and greenroom about the tasks. Each method reads anew.
///
/// It derefs to tokio's [`RuntimeMetrics`](tokio::runtime::RuntimeMetrics), whose workers drive
/// greenroom's: what is not listed here counts both schedulers' work on the same threads.
#[derive(Debug, Clone)]
pub struct RuntimeMetrics {
    tokio: tokio::runtime::RuntimeMetrics,
    scheduler: Handle,
}

impl RuntimeMetrics {
    pub(super) fn new(scheduler: Handle) -> Self {
        let tokio = scheduler.tokio_handle().metrics();
        Self { tokio, scheduler }
    }

    /// Tasks on greenroom's scheduler that have not ended; those that libraries have spawned on
    /// tokio's are not among them.
    #[must_use]
    pub fn num_alive_tasks(&self) -> usize {
        self.scheduler.metrics().live
    }

    /// Tasks in the global queue of greenroom's scheduler.
    #[must_use]
    pub fn global_queue_depth(&self) -> usize {
        self.scheduler.metrics().global_queue_depth
    }
}

impl Deref for RuntimeMetrics {
    type Target = tokio::runtime::RuntimeMetrics;

    fn deref(&self) -> &Self::Target {
        &self.tokio
    }
}
