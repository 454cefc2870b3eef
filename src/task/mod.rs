//! Units of scheduling, and tasks: a future as a unit.

mod state;
#[allow(unsafe_code)] // counted headers and wakers; invariants U1 to U4 at its head
mod unit;
