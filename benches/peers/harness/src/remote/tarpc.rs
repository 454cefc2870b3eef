//! tarpc over TCP with bincode, as its README and examples show it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use tarpc::client;
use tarpc::context::{self, Context};
use tarpc::serde_transport::tcp;
use tarpc::server::{BaseChannel, Channel};
use tarpc::tokio_serde::formats::Bincode;

use super::peer::Peer;

/// Beyond its default, for 1 MiB and what belongs to it.
const FRAME_BYTES: usize = 8 << 20;

#[tarpc::service]
pub trait Sum {
    async fn add(n: u64) -> u64;
    async fn put(bytes: Vec<u8>) -> u64;
}

#[derive(Clone)]
struct Server(Arc<AtomicU64>);

impl Sum for Server {
    async fn add(self, _: Context, n: u64) -> u64 {
        // Ordering: Relaxed; a sum, and nothing else, is shared.
        self.0.fetch_add(n, Ordering::Relaxed) + n
    }

    async fn put(self, _: Context, bytes: Vec<u8>) -> u64 {
        bytes.len() as u64
    }
}

#[derive(Clone)]
pub struct Tarpc(SumClient);

impl Peer for Tarpc {
    const NAME: &'static str = "tarpc";

    async fn serve(ready: impl FnOnce(String) + Send) {
        let listening = tcp::listen("127.0.0.1:0", Bincode::default).await;
        let mut connections = listening.expect("a port");
        connections.config_mut().max_frame_length(FRAME_BYTES);
        ready(connections.local_addr().to_string());
        while let Some(transport) = connections.next().await {
            let transport = transport.expect("a connection");
            let server = Server(Arc::default()).serve();
            let requests = BaseChannel::with_defaults(transport).execute(server);
            tokio::spawn(requests.for_each(async |request| {
                tokio::spawn(request);
            }));
        }
    }

    async fn connect(address: String) -> Self {
        let mut connecting = tcp::connect(address, Bincode::default);
        connecting.config_mut().max_frame_length(FRAME_BYTES);
        let transport = connecting.await.expect("a connection");
        // Its defaults refuse more than 1,000 requests at a time.
        let mut config = client::Config::default();
        config.max_in_flight_requests = 4_096;
        config.pending_request_buffer = 4_096;
        Self(SumClient::new(config, transport).spawn())
    }

    async fn ask(&self, n: u64) -> u64 {
        self.0.add(patient(), n).await.expect("the server answers")
    }

    async fn tell(&self, n: u64) {
        self.ask(n).await;
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        let put = self.0.put(patient(), bytes.into());
        put.await.expect("the server answers")
    }
}

fn patient() -> Context {
    let mut context = context::current();
    context.deadline = Instant::now() + Duration::from_secs(60);
    context
}
