//! tokio's runtimes, with greenroom's scheduler on each.
//!
//! What is not listed here, such as [`EnterGuard`], [`RuntimeFlavor`] and [`LocalRuntime`], is
//! tokio's own.

mod builder;
mod handle;
mod metrics;
#[allow(clippy::module_inception)] // the name of tokio's file for the same type
mod runtime;

pub use tokio::runtime::*;

pub use builder::Builder;
pub use handle::Handle;
pub use metrics::RuntimeMetrics;
pub use runtime::Runtime;
