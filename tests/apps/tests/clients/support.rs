//! What several of these modules need.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;

/// Tells a hang from an answer; no test rests on its length.
const LONG: Duration = Duration::from_secs(300);

/// Fails instead of hanging.
pub(crate) async fn within<F: Future>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(LONG, future).await {
        Ok(output) => output,
        Err(_) => panic!("{what} did not come"),
    }
}

/// A listener on a port that is free, and its address.
pub(crate) async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}
