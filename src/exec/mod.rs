//! The executor: a scheduler that runs as a guest on a tokio runtime.
//!
//! `core` decides which unit runs next and whom to wake, and knows no host; it stands on `idle`
//! (its protocol is in README.md), `injector`, `owned` and `slot`. `host` drives it.

mod core;
mod current;
mod drain;
mod idle;
#[allow(unsafe_code)] // a chain through the units' headers
mod injector;
#[allow(unsafe_code)] // a list through the units' headers
mod owned;
#[allow(unsafe_code)] // the LIFO word and ring entries are counts of units
mod slot;

#[cfg(not(greenroom_loom))]
mod blocking;
#[cfg(not(greenroom_loom))]
mod bound;
#[cfg(not(greenroom_loom))]
mod builder;
#[cfg(not(greenroom_loom))]
mod error;
#[cfg(not(greenroom_loom))]
mod executor;
#[cfg(not(greenroom_loom))]
mod handle;
#[cfg(not(greenroom_loom))]
mod hooks;
#[cfg(not(greenroom_loom))]
mod host;
#[cfg(all(feature = "hyper", not(greenroom_loom)))]
mod hyper;
#[cfg(all(not(greenroom_loom), feature = "rt-multi-thread"))]
mod in_place;
#[cfg(not(greenroom_loom))]
mod join_set;
#[cfg(not(greenroom_loom))]
mod metrics;
#[cfg(not(greenroom_loom))]
mod options;
#[cfg(not(greenroom_loom))]
pub mod runtime;
#[cfg(not(greenroom_loom))]
mod shutdown;
#[cfg(not(greenroom_loom))]
mod spawn;
#[cfg(not(greenroom_loom))]
mod task_builder;
#[cfg(not(greenroom_loom))]
mod threads;

#[cfg(all(test, greenroom_loom))]
mod loom;
#[cfg(all(test, not(greenroom_loom)))]
mod testing;

#[cfg(not(greenroom_loom))]
pub(crate) use bound::NoThread;
#[cfg(not(greenroom_loom))]
pub(crate) use executor::{Executor, before_blocking};
#[cfg(all(not(greenroom_loom), feature = "rt-multi-thread"))]
pub use in_place::block_in_place;
#[cfg(not(greenroom_loom))]
pub use {blocking::spawn_blocking, join_set::JoinSet, spawn::spawn, task_builder::TaskBuilder};
