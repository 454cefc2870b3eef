//! Supervisors: what is started, restarted and ended, when, and in which order.

mod basics;
mod budgets;
mod ends;
mod given_up;
mod kept;
mod nested;
mod options;
mod orders;
mod panics;
mod quitters;
mod rounds;
mod scene;
mod strategies;
mod survivors;
