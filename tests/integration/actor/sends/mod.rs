//! Ways to send beside ask and tell: slots held ahead, many messages at once, adapters.

mod polls;
mod reserve;
mod returns;
