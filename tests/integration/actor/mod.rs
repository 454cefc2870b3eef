//! Actors, as a user meets them.

mod basics;
