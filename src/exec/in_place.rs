//! `greenroom::block_in_place`.

use super::host::tokio as host;

/// Runs code that blocks on this very thread, which is no worker meanwhile.
///
/// It is tokio's `block_in_place` for our tasks as well: what waits behind the task, woken by it
/// or not, goes to another thread at once, and what the code wakes or spawns runs there. The code
/// may block on futures, by [`Request::blocking`](crate::Request::blocking), by
/// `tokio::runtime::Handle::block_on` or by the `block_on` of another crate. The rest of the task
/// has to wait for it: branches of a `select!` or `join!` around it do not go on. What it needs is
/// a thread of tokio's blocking pool, so its limit is the pool's. In a job of
/// [`spawn_blocking`](crate::spawn_blocking), and outside of any runtime, it only runs the code.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let task = greenroom::spawn(async {
///     let other = greenroom::spawn(async { 7 });
///     greenroom::block_in_place(|| tokio::runtime::Handle::current().block_on(other))
/// });
/// assert_eq!(task.await??, 7);
/// # Ok(()) }
/// ```
///
/// # Blocking without it
///
/// A foreign `block_on` inside a task, say that of the crate `futures`, does not get beyond some
/// 128 operations of channels and the like, on tokio's scheduler as on ours: they use up the budget
/// that tokio gives to each poll of a task, then wait for the next poll, and that does not come
/// while the task is in `block_on`. In `block_in_place` there is no budget; around the future that
/// is blocked on, `tokio::task::unconstrained` takes it away too.
///
/// # Panics
///
/// On a current-thread runtime, and in a `LocalSet`: tokio's panic says so.
#[track_caller]
pub fn block_in_place<F, R>(code: F) -> R
where
    F: FnOnce() -> R,
{
    // After tokio has given its own worker away, or refused.
    tokio::task::block_in_place(|| {
        host::with_current(|frame| {
            if let Some(frame) = frame {
                frame.executor.shared().hand_over(frame.half);
            }
        });
        code()
    })
}
