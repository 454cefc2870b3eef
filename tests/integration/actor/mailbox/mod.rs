//! Mailboxes: lanes, what becomes of what does not fit, bounds that change, and numbers.

mod bounds;
mod bytes;
mod depot;
mod lanes;
mod options;
mod overflow;
mod users;
