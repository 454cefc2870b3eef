//! How actors begin, run beside each other, and end.

mod conduct;
mod context;
mod drops;
mod handles;
mod kill;
mod panics;
mod reasons;
mod scene;
mod triples;
