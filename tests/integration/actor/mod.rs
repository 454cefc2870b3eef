//! Actors: delivery, life cycle, and what the field has taught.

mod allocations;
mod acceptance;
mod basics;
mod clerk;
mod delivery;
mod support;
