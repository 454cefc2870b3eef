//! greenroom: actors for tokio programs.

#![deny(unsafe_code)]

mod id;
pub mod limits;
mod sync;
mod task;
