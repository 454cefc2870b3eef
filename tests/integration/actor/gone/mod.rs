//! What becomes of messages whose actor, asker or time has gone.

mod hooks;
mod undelivered;
