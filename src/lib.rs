//! greenroom: actors for tokio programs.

#![deny(unsafe_code)]

mod contain;
mod id;
pub mod limits;
#[allow(unsafe_code)] // byte envelopes and waiter nodes; invariants Q1, Q2 and W1 to W3
mod mailbox;
#[allow(unsafe_code)] // raw blocks; invariant P1
mod pool;
#[allow(unsafe_code)] // slots that two ends share; table at its head and invariant R1
mod reply;
mod sync;
mod task;
