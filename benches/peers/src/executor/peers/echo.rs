//! The echo server on tokio's sockets, with the tasks of whichever executor lives there.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::executor::peer::Executor;

pub const BUFFER_BYTES: usize = 1024;

pub fn serve<E: Executor>(runtime: &E::Runtime) -> SocketAddr {
    E::block_on(runtime, async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a port of loopback is free");
        let address = listener.local_addr().expect("a listener has an address");
        E::detach(E::spawn(accept::<E>(listener)));
        address
    })
}

async fn accept<E: Executor>(listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection is accepted");
        E::detach(E::spawn(echo(stream)));
    }
}

async fn echo(mut stream: TcpStream) {
    stream.set_nodelay(true).expect("TCP has no-delay");
    let mut buffer = [0; BUFFER_BYTES];
    // A client that goes away ends its task.
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        if stream.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
