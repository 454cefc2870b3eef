//! The works: each begins work of its class for as long as the stage goes on, and checks what
//! comes of it. A check that fails is a panic, which ends the run.

pub mod aborts;
pub mod actors;
pub mod blocking;
pub mod churn;
pub mod echo;
pub mod endings;
pub mod messages;
pub mod panics;
pub mod sets;
pub mod tasks;
pub mod timers;
