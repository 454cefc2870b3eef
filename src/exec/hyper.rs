//! Hyper's executor trait, so that its servers and clients spawn on the scheduler.

use std::future::Future;

use super::handle::Handle;

/// Spawns what hyper's connections need: the feature `hyper`.
///
/// Give a handle to whatever is generic over hyper's executor: `http2::Builder::new` of hyper,
/// `auto::Builder::new` and `legacy::Client::builder` of hyper-util, `Endpoint::executor` of tonic.
/// Frameworks that choose the executor themselves spawn by `tokio::spawn`, which works as well: the
/// runtime is theirs too, but those tasks are tokio's.
///
/// ```
/// use greenroom::runtime::Handle;
/// use hyper::rt::Executor;
///
/// # #[tokio::main] async fn main() {
/// let (reply, replied) = tokio::sync::oneshot::channel();
/// let executor = Handle::current(); // clone it for each connection
/// executor.execute(async move { drop(reply.send(6 * 7)) });
/// assert_eq!(replied.await, Ok(42));
/// # }
/// ```
///
/// After the end of the runtime, futures are dropped unpolled.
impl<F> hyper::rt::Executor<F> for Handle
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    fn execute(&self, future: F) {
        drop(self.spawn(future));
    }
}
