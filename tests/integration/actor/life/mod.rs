//! How actors begin, run beside each other, and end.

mod abort;
mod alive;
mod blocking;
mod conduct;
mod context;
mod crowds;
mod drops;
mod ends;
mod estate;
mod handles;
mod homes;
mod hooks;
mod kill;
mod local;
mod outside;
mod panics;
mod reasons;
mod restart;
mod scene;
mod shapes;
mod triples;
mod vacancy;
mod wakers;
mod watching;
