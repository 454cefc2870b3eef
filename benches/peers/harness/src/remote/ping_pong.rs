//! What no protocol can beat: eight bytes there, eight bytes back, and nobody else.

use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use super::peer::Peer;

#[derive(Clone)]
pub struct PingPong(Arc<Mutex<TcpStream>>);

impl Peer for PingPong {
    const NAME: &'static str = "ping_pong";

    async fn serve(ready: impl FnOnce(String) + Send) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready(listener.local_addr().expect("an address").to_string());
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("an option of TCP");
            tokio::spawn(async move {
                let mut sum = 0;
                while let Ok(n) = stream.read_u64().await {
                    sum += n;
                    if stream.write_u64(sum).await.is_err() {
                        break;
                    }
                }
            });
        }
    }

    async fn connect(address: String) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("an option of TCP");
        Self(Arc::new(Mutex::new(stream)))
    }

    async fn ask(&self, n: u64) -> u64 {
        let mut stream = self.0.lock().await;
        stream.write_u64(n).await.expect("the server reads");
        stream.read_u64().await.expect("the server answers")
    }

    async fn tell(&self, n: u64) {
        self.ask(n).await;
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        self.ask(bytes.len() as u64).await
    }
}
