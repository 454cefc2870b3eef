//! How often a state is forked within one measurement.

use std::time::{Duration, Instant};

/// Long enough for the clock, and short enough for deep clones of a million entries.
const ENOUGH: Duration = Duration::from_millis(200);

/// Nanoseconds for each call of `fork`, in batches until there are enough.
pub fn time(mut fork: impl FnMut()) -> f64 {
    fork();
    let (start, mut count) = (Instant::now(), 0_u64);
    let mut batch = 1;
    loop {
        for _ in 0..batch {
            fork();
        }
        count += batch;
        let elapsed = start.elapsed();
        if elapsed >= ENOUGH {
            return crate::stats::nanos_per_item(elapsed, count);
        }
        batch = (batch * 2).min(1 << 14);
    }
}
