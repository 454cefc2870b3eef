//! The runtimes of the peers.

use crate::machine::workers;

/// That of the peers that are plain tokio code.
pub fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .enable_all()
        .build()
        .expect("a tokio runtime can be built")
}

pub fn greenroom() -> greenroom::Runtime {
    greenroom::Runtime::builder()
        .worker_threads(workers())
        .build()
        .expect("a greenroom runtime can be built")
}
