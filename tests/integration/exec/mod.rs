//! The executor: tasks on a scheduler that is a guest of tokio.

mod attach;
mod blocking;
mod builder;
mod depth;
mod drop_order;
mod dropping;
mod end;
mod fairness;
mod handle;
mod hooks;
mod host;
mod ids;
mod in_place;
mod join_set;
mod joins;
mod local;
mod many;
mod metrics;
mod panics;
mod parting;
mod priority;
mod shutdown;
mod spawn;
mod stragglers;
mod support;
mod threads;
