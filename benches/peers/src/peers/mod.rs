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
pub use self::greenroom::Greenroom;
pub use self::kameo::Kameo;
pub use self::ractor::Ractor;
pub use self::xtra::Xtra;
