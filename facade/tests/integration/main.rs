//! What an app that was written for tokio finds: a module per subject, tests named as claims.
//!
//! `tokio` is the facade here, as in an app; `real` is tokio, as libraries know it.

extern crate greenroom_tokio as tokio;
extern crate tokio as real;

mod bounds;
mod entry;
mod libraries;
mod local;
mod missing;
mod rows;
mod runtime;
mod spawn;
mod support;
mod tasks;
mod traces;
