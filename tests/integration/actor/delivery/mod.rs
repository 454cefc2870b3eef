//! Messages arrive: all of them, in order, whatever becomes of their senders.

mod blocking;
mod cancel;
mod order;
mod places;
mod refusal;
mod sustained;
mod timeouts;
