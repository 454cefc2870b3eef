//! smol, with one executor for the process as `smol::spawn` has it, but as many threads as asked.

use std::future;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{Task, Timer};

use super::echo::BUFFER_BYTES;
use crate::executor::peer::Executor;
use crate::machine;

static EXECUTOR: smol::Executor<'static> = smol::Executor::new();

pub struct Smol;

impl Executor for Smol {
    const NAME: &'static str = "smol";

    /// The threads last as long as the process.
    type Runtime = ();
    type Task<T: Send + 'static> = Task<T>;

    fn start() {
        for _ in 0..machine::workers() {
            thread::spawn(|| smol::block_on(EXECUTOR.run(future::pending::<()>())));
        }
    }

    fn block_on<T>((): &(), future: impl Future<Output = T>) -> T {
        smol::block_on(future)
    }

    fn spawn_on<T: Send + 'static>(
        (): &(),
        task: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        EXECUTOR.spawn(task)
    }

    fn spawn<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> Task<T> {
        EXECUTOR.spawn(task)
    }

    async fn join<T: Send + 'static>(task: Task<T>) -> T {
        task.await
    }

    fn detach<T: Send + 'static>(task: Task<T>) {
        task.detach();
    }

    async fn yield_now() {
        smol::future::yield_now().await;
    }

    async fn sleep(time: Duration) {
        Timer::after(time).await;
    }

    fn serve_echo((): &()) -> SocketAddr {
        smol::block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await;
            let listener = listener.expect("a port of loopback is free");
            let address = listener.local_addr().expect("a listener has an address");
            EXECUTOR.spawn(accept(listener)).detach();
            address
        })
    }
}

async fn accept(listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection is accepted");
        EXECUTOR.spawn(echo(stream)).detach();
    }
}

async fn echo(mut stream: TcpStream) {
    stream.set_nodelay(true).expect("TCP has no-delay");
    let mut buffer = [0; BUFFER_BYTES];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        if stream.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
