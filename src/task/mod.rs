//! Units of scheduling, and tasks: a future as a unit.

mod abort;
#[allow(unsafe_code)] // a task's allocation; invariants C1 to C3 at its head
mod cell;
#[allow(unsafe_code)] // the unit that the thread runs; N1
mod current;
mod error;
#[cfg(not(greenroom_loom))]
mod extensions;
#[allow(unsafe_code)] // the handle's half of the protocol of `trunk`
mod join;
mod loss;
#[cfg(any(test, not(greenroom_loom)))]
mod marks;
mod priority;
#[allow(unsafe_code)] // the runner's half of the protocol of `trunk`
mod run;
mod state;
#[allow(unsafe_code)] // the join waker's field; steps and proofs J1 to J4 at its head
mod trunk;
#[allow(unsafe_code)] // counted headers and wakers; invariants U1 to U4 at its head
mod unit;
mod yield_now;

#[cfg(all(test, greenroom_loom))]
mod loom;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;

pub use abort::AbortHandle;
#[cfg(test)]
pub(crate) use cell::new_task;
pub(crate) use cell::{Label, Plan, is_large, new_planned};
#[cfg(not(greenroom_loom))]
pub(crate) use current::current;
pub use current::{id, try_id};
pub use error::JoinError;
#[cfg(not(greenroom_loom))]
pub(crate) use extensions::{Extension, Extensions};
pub use join::JoinHandle;
pub(crate) use loss::{Loss, Losses, Observer};
#[cfg(not(greenroom_loom))]
pub(crate) use marks::Marks;
pub use priority::Priority;
pub(crate) use state::{End, Notify, State};
#[cfg(not(greenroom_loom))]
pub(crate) use trunk::Wait;
pub(crate) use unit::{Header, Lend, Schedule, Unit, Vtable, borrow_waker};
pub use yield_now::{YieldNow, yield_now};
