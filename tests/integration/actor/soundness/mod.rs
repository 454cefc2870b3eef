//! What no user code may do, however it behaves: reach memory that has gone, lose or double a
//! message, or harm anybody but itself.

mod contexts;
mod ends;
mod lifetimes;
mod outputs;
mod spans;
mod subscribers;
mod wakers;

use std::time::Instant;

use super::support::LIMIT;

/// Waits on a plain thread until the condition holds.
#[track_caller]
fn spin_until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "a hang");
        std::thread::yield_now();
    }
}
