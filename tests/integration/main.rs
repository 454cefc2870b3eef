//! The one integration binary: a module per subject, tests named as claims.

#![cfg(not(greenroom_loom))]

mod actor;
mod exec;
mod tidy;
