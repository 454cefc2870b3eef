//! The one integration binary: a module per subject, tests named as claims.

#![cfg(not(greenroom_loom))]

mod actor;
mod admission;
mod allocator;
mod alone;
mod exec;
mod group;
mod hooked;
mod registry;
#[cfg(feature = "remote")]
mod remote;
mod shutdown;
mod supervise;
mod tidy;
mod topic;
mod workers;
#[cfg(feature = "world")]
mod world;
