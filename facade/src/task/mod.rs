//! Tasks on greenroom's scheduler, under tokio's names.
//!
//! What is not listed here, such as [`spawn_local`], [`LocalSet`], [`LocalKey`] and [`coop`], is
//! tokio's own.

mod builder;
pub mod join_set;

pub use tokio::task::*;

pub use builder::Builder;
#[cfg(feature = "rt-multi-thread")]
pub use greenroom::block_in_place;
pub use greenroom::{
    AbortHandle, Id, JoinError, JoinHandle, id, spawn, spawn_blocking, try_id, yield_now,
};
pub use join_set::JoinSet;
