//! The one integration binary: a module per subject, tests named as claims.

mod tidy;
//! What a user of greenroom may rely on, one module per part.

#![cfg(not(greenroom_loom))]

mod exec;
