//! What becomes of messages whose actor, asker or time has gone.

mod acceptance;
mod asker;
mod deadlines;
mod hooks;
mod limits;
mod skip;
mod undelivered;
mod ways;
