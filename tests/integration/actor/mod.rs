//! Actors: delivery, life cycle, and what the field has taught.

mod acceptance;
mod allocations;
mod basics;
mod claims;
mod clerk;
mod delivery;
mod errors;
pub(crate) mod exclusive;
mod forward;
mod gone;
mod hosts;
mod inline;
mod life;
mod mailbox;
mod rare;
mod reentrant;
mod replies;
mod sends;
mod soundness;
mod stash;
#[cfg(feature = "test-util")]
mod stubs;
pub(crate) mod support;
mod timers;
mod tracing;
mod waits;
