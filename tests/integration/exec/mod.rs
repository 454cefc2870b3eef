//! The executor: tasks on a scheduler that is a guest of tokio.

mod attach;
mod builder;
mod dropping;
mod end;
mod fairness;
mod handle;
mod hooks;
mod host;
mod many;
mod shutdown;
mod spawn;
mod stragglers;
mod support;
mod threads;
