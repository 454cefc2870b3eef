//! greenroom on a runtime of its own: its tasks, and tokio's sockets and timers.

use std::net::SocketAddr;
use std::time::Duration;

use greenroom::{Builder, JoinHandle, Runtime, actor};

use super::echo;
use crate::executor::peer::{Executor, Host};
use crate::hosts;
use crate::peers::Greenroom;
use crate::workloads::CAPACITY;

#[actor(inline = never)]
pub struct Queued {
    count: u64,
}

#[actor]
impl Queued {
    pub fn count(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

impl Executor for Greenroom {
    const NAME: &'static str = "greenroom";

    type Runtime = Runtime;
    type Task<T: Send + 'static> = JoinHandle<T>;

    fn start() -> Runtime {
        hosts::greenroom()
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
        greenroom::spawn(task)
    }

    async fn join<T: Send + 'static>(task: JoinHandle<T>) -> T {
        task.await.expect("no task of a cell panics")
    }

    fn detach<T: Send + 'static>(task: JoinHandle<T>) {
        drop(task);
    }

    async fn yield_now() {
        greenroom::yield_now().await;
    }

    async fn sleep(time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn serve_echo(runtime: &Runtime) -> SocketAddr {
        echo::serve::<Self>(runtime)
    }
}

impl Host for Greenroom {
    type Actors = Greenroom;
    type Queued = QueuedHandle;

    fn queued() -> QueuedHandle {
        Builder::new(Queued { count: 0 }).mailbox(CAPACITY).spawn()
    }

    async fn ask_queued(actor: &QueuedHandle) -> u64 {
        actor.count().await.expect("the actor answers")
    }
}
