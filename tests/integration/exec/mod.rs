//! The executor: tasks on a scheduler that is a guest of tokio.

mod attach;
mod builder;
mod end;
mod fairness;
mod host;
mod many;
mod shutdown;
mod spawn;
mod support;
