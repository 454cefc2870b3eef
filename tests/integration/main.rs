//! The one integration binary: a module per subject, tests named as claims.

#![cfg(not(greenroom_loom))]

mod actor;
mod allocator;
mod exec;
mod tidy;
