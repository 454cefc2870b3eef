//! Supervision: children that are started in order, restarted when they fail, and ended in
//! reverse.

mod backoff;
mod decision;
mod intensity;
mod restart;
mod roster;
mod shutdown;
mod strategy;

pub use backoff::Backoff;
pub use intensity::Intensity;
pub use restart::Restart;
pub use shutdown::Shutdown;
pub use strategy::{AutoShutdown, Strategy};
