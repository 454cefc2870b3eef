//! Ways to send beside ask and tell: slots held ahead, many messages at once, adapters.

mod cancel;
mod many;
mod polls;
mod recipients;
mod reserve;
mod returns;
#[cfg(feature = "tower")]
mod service;
mod sink;
mod storm;
