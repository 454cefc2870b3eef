//! The tokio host: each worker is a *pump*, a future on the tokio runtime around it.
//!
//! | file | holds |
//! | --- | --- |
//! | `shared` | an executor on its runtime; takes units |
//! | `context` | what this thread is doing: the pump that polls, the runtime around |
//! | `place` | whether this thread is in a task of tokio's or between tasks |
//! | `signal` | how a pump is woken, from where |
//! | `pump`, `pace` | the future that drives a worker · how long its turns are |
//! | `registry` | which runtime has which executor |
//! | `end` | closing, the last pump's end, and what waits for it |
//! | `monitor` | the thread that finds stuck pumps |
//! | `express` | how units that tokio's tasks wake pass its queue |
//! | `spare` | pumps that stand in for stuck ones |

#[allow(unsafe_code)] // one pointer to a frame of the stack; invariant at `Frame`
mod context;
mod end;
mod express;
mod monitor;
mod pace;
mod place;
mod pump;
mod registry;
mod shared;
mod signal;
mod spare;
#[cfg(test)]
mod tests;

pub(in crate::exec) use context::with_current;
pub(in crate::exec) use registry::{Attach, OtherOptions, attach, current, remove};
pub(in crate::exec) use shared::Shared;
