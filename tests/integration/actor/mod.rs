//! Actors, as a user meets them.

mod allocations;
mod basics;
