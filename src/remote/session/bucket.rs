//! A bound on how often something happens.

use std::time::Instant;

/// Holds so many tokens at most, and gets so many back each second.
#[derive(Debug)]
pub(super) struct Bucket {
    /// In billionths, so that short times count.
    level: u128,
    burst: u128,
    per_second: u128,
    at: Instant,
}

const TOKEN: u128 = 1_000_000_000;

impl Bucket {
    /// A full one.
    pub(super) fn new(per_second: u32, burst: u32, now: Instant) -> Self {
        let burst = u128::from(burst) * TOKEN;
        Self {
            level: burst,
            burst,
            per_second: u128::from(per_second),
            at: now,
        }
    }

    /// Takes a token, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_nanos();
        self.at = self.at.max(now);
        self.level = (self.level + passed * self.per_second).min(self.burst);
        let has_one = self.level >= TOKEN;
        if has_one {
            self.level -= TOKEN;
        }
        has_one
    }
}
