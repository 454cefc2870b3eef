//! Worlds: state that forks, programs that fork at their savepoints, and sessions of them.

mod answers;
mod claims;
mod commit;
mod endings;
mod export;
mod forks;
mod grants;
mod memory;
mod model;
mod reclamation;
mod replay;
mod savepoints;
mod seeds;
mod sessions;
mod stack;
mod stage;
mod support;
