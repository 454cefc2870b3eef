//! A web server of axum's under `wrk`: wall time per request.

use std::mem;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use tokio::net::TcpListener;

use super::super::peer::{Executor, Host};
use crate::machine::spin;
use crate::peer::Peer;
use crate::workloads::CAPACITY;
use crate::wrk;

const CONNECTIONS: u32 = 64;
const WARM_UP: Duration = Duration::from_secs(1);
const MEASURED: Duration = Duration::from_secs(2);
/// Tasks of the peer that compute and yield.
const BUSY_TASKS: usize = 8;
const COMPUTED: Duration = Duration::from_micros(5);

pub fn hello<H: Host>() -> f64 {
    nanos_per_request::<H>("/", 0)
}

/// Each request asks an actor of the peer.
pub fn ask<H: Host>() -> f64 {
    nanos_per_request::<H>("/ask", 0)
}

pub fn hello_busy<H: Host>() -> f64 {
    nanos_per_request::<H>("/", BUSY_TASKS)
}

pub fn ask_busy<H: Host>() -> f64 {
    nanos_per_request::<H>("/ask", BUSY_TASKS)
}

fn nanos_per_request<H: Host>(path: &str, busy_tasks: usize) -> f64 {
    let runtime = H::start();
    let address = H::block_on(&runtime, async {
        let counter = H::Actors::counter(CAPACITY);
        let routes = Router::new()
            .route("/", get(async || "Hello, world!"))
            .route("/ask", get(ask_counter::<H::Actors>))
            .with_state(counter);
        serve(routes).await
    });
    for _ in 0..busy_tasks {
        H::detach(H::spawn_on(&runtime, compute::<H>(COMPUTED)));
    }
    wrk::requests_per_second(address, path, CONNECTIONS, WARM_UP);
    let requests_per_second = wrk::requests_per_second(address, path, CONNECTIONS, MEASURED);
    leave(runtime);
    1e9 / requests_per_second
}

/// Lets the process end with the runtime as it is: requests are under way still, and would fail.
pub fn leave<R>(runtime: R) {
    mem::forget(runtime);
}

async fn ask_counter<P: Peer>(State(counter): State<P::Counter>) -> String {
    P::ask(&counter, 1).await.to_string()
}

/// Serves on loopback, by tasks of the tokio runtime that this is called in.
pub async fn serve(routes: Router) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.expect("a port of loopback is free");
    let address = listener.local_addr().expect("a listener has an address");
    tokio::spawn(async { axum::serve(listener, routes).await });
    address
}

/// Is always runnable.
async fn compute<E: Executor>(time: Duration) {
    loop {
        spin(time);
        E::yield_now().await;
    }
}
