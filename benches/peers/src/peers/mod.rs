//! One file per peer.

mod actix;
mod by_hand;
mod channel;
mod greenroom;
mod kameo;
mod ractor;
mod xtra;

pub use self::actix::Actix;
pub use self::by_hand::{ByTachyonix, Raw};
pub use self::greenroom::{Greenroom, runtime as greenroom_runtime};
pub use self::kameo::Kameo;
pub use self::ractor::Ractor;
pub use self::xtra::Xtra;

/// The runtime of the peers that are plain tokio code.
pub fn tokio_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(crate::machine::workers())
        .enable_all()
        .build()
        .expect("a tokio runtime can be built")
}
