//! Round trips over loopback.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::executor::peer::Executor;
use crate::stats::nanos_per_item;

const MESSAGE_BYTES: usize = 64;
const WARM_UP: Duration = Duration::from_millis(200);
const MEASURED: Duration = Duration::from_millis(800);

/// So many connections, each with one message under way: wall time per round trip of all
/// together. The client has a thread of its own, and the same code for every peer.
pub fn round_trips<E: Executor, const CONNECTIONS: usize>() -> f64 {
    let runtime = E::start();
    let address = E::serve_echo(&runtime);
    // The calling thread is no worker.
    let client = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the client's runtime can be built");
    client.block_on(async {
        let trips = Arc::new(AtomicU64::new(0));
        for _ in 0..CONNECTIONS {
            tokio::spawn(converse(address, trips.clone()));
        }
        // Ordering: Relaxed, here and where it counts; one thread does both.
        let count = || trips.load(Ordering::Relaxed);
        tokio::time::sleep(WARM_UP).await;
        let (start, before) = (Instant::now(), count());
        tokio::time::sleep(MEASURED).await;
        nanos_per_item(start.elapsed(), count() - before)
    })
}

async fn converse(address: SocketAddr, trips: Arc<AtomicU64>) {
    let stream = TcpStream::connect(address).await;
    let mut stream = stream.expect("the server accepts");
    stream.set_nodelay(true).expect("TCP has no-delay");
    let mut message = [7; MESSAGE_BYTES];
    loop {
        stream.write_all(&message).await.expect("the server reads");
        stream
            .read_exact(&mut message)
            .await
            .expect("the server answers");
        trips.fetch_add(1, Ordering::Relaxed);
    }
}
