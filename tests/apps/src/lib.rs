//! Apps as their authors would write them for tokio. `tests/clients` drives them.

pub mod board;
pub mod echo;
pub mod meter;
pub mod notes;
pub mod packets;
pub mod streams;
