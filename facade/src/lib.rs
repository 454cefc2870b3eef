#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// What this crate has under the same name goes before.
pub use tokio::*;

#[cfg(feature = "rt")]
pub mod runtime;
#[cfg(feature = "rt")]
pub mod task;

#[cfg(all(feature = "macros", feature = "rt"))]
pub use greenroom_macros::{tokio_main as main, tokio_test as test};
#[cfg(feature = "rt")]
pub use task::spawn;

/// What macro expansions may name. Not part of the public interface.
#[cfg(feature = "rt")]
#[doc(hidden)]
pub mod __private {
    pub use crate::runtime::Builder;
}
