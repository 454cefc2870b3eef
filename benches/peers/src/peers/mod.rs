//! One file per peer.

mod greenroom;
mod kameo;
mod raw;

pub use self::greenroom::{Greenroom, runtime as greenroom_runtime};
pub use self::kameo::Kameo;
pub use self::raw::Raw;

/// The runtime of the peers that are plain tokio code.
pub fn tokio_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(crate::machine::workers())
        .enable_all()
        .build()
        .expect("a tokio runtime can be built")
}
