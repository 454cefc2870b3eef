//! tokio's multi-thread runtime.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::echo;
use crate::executor::peer::{Executor, Host};
use crate::hosts;
use crate::peer::Peer;
use crate::peers::Raw;
use crate::workloads::CAPACITY;

pub const NAME: &str = "tokio";

pub struct Tokio;

impl Executor for Tokio {
    const NAME: &'static str = NAME;

    type Runtime = Runtime;
    type Task<T: Send + 'static> = JoinHandle<T>;

    fn start() -> Runtime {
        hosts::tokio()
    }

    fn block_on<T>(runtime: &Runtime, future: impl Future<Output = T>) -> T {
        runtime.block_on(future)
    }

    fn spawn_on<T: Send + 'static>(
        runtime: &Runtime,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        runtime.spawn(task)
    }

    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        tokio::spawn(task)
    }

    async fn join<T: Send + 'static>(task: JoinHandle<T>) -> T {
        task.await.expect("no task of a cell panics")
    }

    fn detach<T: Send + 'static>(task: JoinHandle<T>) {
        drop(task);
    }

    async fn yield_now() {
        tokio::task::yield_now().await;
    }

    async fn sleep(time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn serve_echo(runtime: &Runtime) -> SocketAddr {
        echo::serve::<Self>(runtime)
    }
}

impl Host for Tokio {
    type Actors = Raw;
    type Queued = <Raw as Peer>::Counter;

    fn queued() -> Self::Queued {
        Raw::counter(CAPACITY)
    }

    async fn ask_queued(actor: &Self::Queued) -> u64 {
        Raw::ask(actor, 1).await
    }
}
