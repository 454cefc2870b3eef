//! One between two nodes, who reads all and cuts.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

pub(super) struct Proxy {
    pub(super) address: String,
    seen: Arc<Mutex<Vec<u8>>>,
    copying: Arc<Mutex<Vec<AbortHandle>>>,
}

impl Proxy {
    pub(super) async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("it is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let proxy = Self {
            address,
            seen: Arc::default(),
            copying: Arc::default(),
        };
        let (seen, copying) = (proxy.seen.clone(), proxy.copying.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("it listens");
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                for (from, to) in [(from_client, to_server), (from_server, to_client)] {
                    let copy = tokio::spawn(copy(from, to, seen.clone()));
                    copying.lock().expect("alone").push(copy.abort_handle());
                }
            }
        });
        proxy
    }

    /// Ends all connections, without a word of the protocol.
    pub(super) fn cut(&self) {
        for copy in self.copying.lock().expect("alone").drain(..) {
            copy.abort();
        }
    }

    /// How many connections there are, that were not cut.
    pub(super) fn connections(&self) -> usize {
        self.copying.lock().expect("alone").len() / 2
    }

    pub(super) fn has_seen(&self, bytes: &[u8]) -> bool {
        let seen = self.seen.lock().expect("alone");
        seen.windows(bytes.len()).any(|window| window == bytes)
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, seen: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = vec![0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        let read = &bytes[..length];
        seen.lock().expect("alone").extend_from_slice(read);
        if to.write_all(read).await.is_err() {
            return;
        }
    }
}
