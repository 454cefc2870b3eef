//! What has gone wrong in the field, and must not here.

mod end;
mod mailbox;
mod restarts;
mod stopping;
