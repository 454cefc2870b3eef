//! One file per peer; greenroom and tokio share their sockets.

mod echo;
mod greenroom;
mod smol;
mod tokio;

pub use self::smol::Smol;
pub use self::tokio::{NAME as TOKIO, Tokio};
