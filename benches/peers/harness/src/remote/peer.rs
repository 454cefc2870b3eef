//! What a peer must be able to do for the suite `remote`.

use bytes::Bytes;

use crate::hosts;

/// A way to ask an actor of another process, which adds numbers up. One connection.
pub trait Peer: Clone + Send + Sync + 'static {
    const NAME: &'static str;

    /// Runs a future as a task of a runtime of [`workers`](crate::machine::workers).
    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        hosts::tokio().block_on(async { tokio::spawn(cell).await.expect("no cell panics") })
    }

    /// Serves for ever, once it has said where.
    fn serve(ready: impl FnOnce(String) + Send) -> impl Future<Output = ()> + Send;

    fn connect(address: String) -> impl Future<Output = Self> + Send;

    /// Adds `n`; gives the sum.
    fn ask(&self, n: u64) -> impl Future<Output = u64> + Send;

    /// Adds `n`, one way; waits for room.
    fn tell(&self, n: u64) -> impl Future<Output = ()> + Send;

    /// Gives the length of what it takes there.
    fn put(&self, bytes: Bytes) -> impl Future<Output = u64> + Send;
}

/// One whose connection leads to another actor, too.
pub trait Stuck: Peer {
    /// Has that actor stuck, and sends to it what it takes: asks without an answer, and tells that
    /// it does not take.
    fn stick(&self) -> impl Future<Output = ()> + Send;
}
