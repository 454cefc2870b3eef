//! What a peer must be able to do for the suite `actors`.

use std::sync::Arc;
use std::time::Duration;

use crate::countdown::Countdown;
use crate::hosts;

/// Bytes that the handler of [`Peer::Giant`] keeps across its suspension.
pub const GIANT_BYTES: usize = 8 * 1024;

/// A way to write actors. Workloads are written once against this trait; each operation is one
/// statement as that peer's documentation writes it, so that the trait adds nothing to it. The
/// handles are whatever the peer hands out, and cloning one is the peer's own clone.
///
/// Handlers that compute are sync where the peer lets them be.
pub trait Peer: Sized + 'static {
    const NAME: &'static str;
    /// Whether a one-way send waits while the mailbox is full; those that don't are left out where
    /// a sender is held back.
    const WAITS_FOR_ROOM: bool = true;

    /// Adds numbers up.
    type Counter: Clone + Send + Sync + 'static;
    /// Has a start hook, which makes it ready.
    type Starter: Send + Sync + 'static;
    /// Uses CPU.
    type Burner: Send + Sync + 'static;
    /// Has a handler future of over [`GIANT_BYTES`] that suspends once.
    type Giant: Send + Sync + 'static;
    /// Passes a token on, by a tell from within its handler.
    type Relay: Clone + Send + Sync + 'static;
    /// Asks the next in its chain, from within its handler.
    type Link: Clone + Send + Sync + 'static;

    /// Builds a runtime of [`workers`](crate::machine::workers), plain tokio's unless the peer has
    /// one of its own, and runs `cell` on one of them, as a task of that runtime.
    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        hosts::tokio().block_on(async { Self::task(cell).await })
    }

    /// Starts a task of the peer's runtime at once; the future that it returns waits for it.
    fn task<T: Send + 'static>(
        task: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = T> + Send {
        let task = tokio::spawn(task);
        async { task.await.expect("no task of a cell panics") }
    }

    fn counter(capacity: usize) -> Self::Counter;
    /// Sends one way; waits for room.
    fn tell(counter: &Self::Counter, n: u64) -> impl Future<Output = ()> + Send;
    /// Adds `n`; gives the sum.
    fn ask(counter: &Self::Counter, n: u64) -> impl Future<Output = u64> + Send;

    /// Ends the actor by dropping its last handle, or otherwise where that does not end it.
    fn end(counter: Self::Counter) {
        drop(counter);
    }

    fn starter() -> Self::Starter;
    /// Whether the start hook has returned; answered after it.
    fn is_ready(starter: &Self::Starter) -> impl Future<Output = bool> + Send;

    /// As [`Peer::end`].
    fn end_starter(starter: Self::Starter) {
        drop(starter);
    }

    fn burner() -> Self::Burner;
    /// Asks to use `time` of CPU in the handler.
    fn burn(burner: &Self::Burner, time: Duration) -> impl Future<Output = ()> + Send;

    fn giant() -> Self::Giant;
    /// Asks; the handler suspends once before it answers.
    fn suspend(giant: &Self::Giant) -> impl Future<Output = ()> + Send;

    /// A relay that arrives at `done` when a token has no passes left.
    fn relay(done: Arc<Countdown>) -> Self::Relay;
    /// Says where tokens go from `relay`; one way.
    fn link(relay: &Self::Relay, next: Self::Relay) -> impl Future<Output = ()> + Send;
    /// Hands the token in; one way.
    fn pass(relay: &Self::Relay, passes_left: u64) -> impl Future<Output = ()> + Send;

    /// The last of a chain, or one that asks `next`.
    fn chain(next: Option<Self::Link>) -> Self::Link;
    /// Asks `link` to ask its next so many times, and each of these theirs once: gives the number
    /// of handlers that ran.
    fn through(link: &Self::Link, asks: u64) -> impl Future<Output = u64> + Send;
}
