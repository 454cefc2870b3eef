//! What tests need: handles whose messages are answered by hand. With the feature `test-util`.

pub use crate::actor::{ByHand, Given, Letter, StreamFeed, Stub, Unexpected, stub};
