//! Actors in worlds.

mod commits;
mod errors;
mod forks;
mod grades;
mod laws;
mod quiet;
mod reclamation;
mod savepoints;
pub(super) mod support;
mod timers;
