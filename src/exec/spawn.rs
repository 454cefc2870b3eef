//! `greenroom::spawn`.

use std::future::Future;
use std::panic::Location;

use super::executor::Executor;
use crate::task::JoinHandle;

/// Spawns a task on the scheduler of the current tokio runtime, attaching one if there is none yet.
///
/// It is what `tokio::spawn` is on tokio's own scheduler: the task starts without being awaited,
/// and dropping the handle detaches it.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let words = greenroom::spawn(async { "hello, task".split(' ').count() });
/// assert_eq!(words.await?, 2);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a tokio runtime.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let spawned_at = Location::caller();
    match Executor::with_current(|executor| executor.spawn(future, spawned_at)) {
        Ok(handle) => handle,
        Err(error) => panic!("greenroom::spawn: {error}"),
    }
}
