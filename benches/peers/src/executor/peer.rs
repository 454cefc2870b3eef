//! What a peer must be able to do for the suite `executor`.

use std::net::SocketAddr;
use std::time::Duration;

use crate::peer::Peer;

/// A scheduler of tasks. Workloads are written once against this trait; each operation is one
/// statement as that peer's documentation writes it.
pub trait Executor: Sized + 'static {
    const NAME: &'static str;

    /// Has [`workers`](crate::machine::workers) threads; ends when it is dropped, or with the
    /// process.
    type Runtime: Sync;
    /// What waits for a task.
    type Task<T: Send + 'static>: Send;

    fn start() -> Self::Runtime;

    /// Runs a future on the calling thread, which is no worker.
    fn block_on<T>(runtime: &Self::Runtime, future: impl Future<Output = T>) -> T;

    /// Spawns from outside.
    fn spawn_on<T: Send + 'static>(
        runtime: &Self::Runtime,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T>;

    /// Spawns from inside, on a worker or in [`Executor::block_on`].
    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> Self::Task<T>;

    fn join<T: Send + 'static>(task: Self::Task<T>) -> impl Future<Output = T> + Send;
    /// Lets the task run on by itself.
    fn detach<T: Send + 'static>(task: Self::Task<T>);

    fn yield_now() -> impl Future<Output = ()> + Send;
    fn sleep(time: Duration) -> impl Future<Output = ()> + Send;

    /// Listens on loopback, and sends back what comes in: a task for each connection.
    fn serve_echo(runtime: &Self::Runtime) -> SocketAddr;
}

/// An executor that lives in a tokio runtime, which `block_on` enters.
pub trait Host: Executor {
    /// The actors that go with it.
    type Actors: Peer;
    /// An actor that answers each ask from its queue, even an idle one.
    type Queued: Clone + Send + Sync + 'static;

    fn queued() -> Self::Queued;
    fn ask_queued(actor: &Self::Queued) -> impl Future<Output = u64> + Send;
}

/// Runs `cell` as a task on a worker of a new runtime.
pub fn run<E: Executor, T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
    let runtime = E::start();
    E::block_on(&runtime, async { E::join(E::spawn(cell)).await })
}
