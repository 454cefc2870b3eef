//! Tasks with names.

use std::future::Future;
use std::io;

use greenroom::{JoinHandle, TaskBuilder};

use crate::runtime::Handle;

/// Spawns tasks that have a name. tokio has it only with `--cfg tokio_unstable`.
///
/// Its methods fail for no reason of their own; tokio's return a result.
#[derive(Debug, Default)]
pub struct Builder<'a> {
    name: Option<&'a str>,
}

impl<'a> Builder<'a> {
    /// A builder of tasks without a name.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the task is called.
    #[must_use]
    pub fn name(&self, name: &'a str) -> Self {
        Self { name: Some(name) }
    }

    /// Spawns the task on the runtime around.
    ///
    /// # Errors
    ///
    /// None.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.task().spawn(future))
    }

    /// Spawns the task on a runtime.
    ///
    /// # Errors
    ///
    /// None.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.task().spawn_on(future, handle.scheduler()))
    }

    /// Runs a function on a thread where it may block.
    ///
    /// # Errors
    ///
    /// None.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    #[track_caller]
    pub fn spawn_blocking<F, R>(self, func: F) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        Ok(self.task().spawn_blocking(func))
    }

    /// Runs a function on a thread of a runtime where it may block.
    ///
    /// # Errors
    ///
    /// None.
    #[track_caller]
    pub fn spawn_blocking_on<F, R>(self, func: F, handle: &Handle) -> io::Result<JoinHandle<R>>
    where
        F: FnOnce() -> R + Send + 'static,
        R: Send + 'static,
    {
        let _inside = handle.enter();
        self.spawn_blocking(func)
    }

    fn task(self) -> TaskBuilder {
        match self.name {
            Some(name) => TaskBuilder::new().name(name),
            None => TaskBuilder::new(),
        }
    }
}
