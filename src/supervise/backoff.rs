//! How long a restart waits.

use std::time::Duration;

use crate::rng::Rng;

/// How long a child that failed waits for its restart: longer from failure to failure, up to a
/// limit. Nobody else waits with it, but for those who are restarted with it.
///
/// ```
/// # use std::time::Duration;
/// use greenroom::Backoff;
///
/// // 100, 200, 400, 800, 1600, 3200, 5000, 5000 .. ms, each up to a fifth shorter; from the
/// // beginning once it has been up for a minute.
/// let backoff = Backoff::exponential(Duration::from_millis(100), Duration::from_secs(5))
///     .jitter(0.2)
///     .reset_after(Duration::from_secs(60));
/// # let _ = backoff;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backoff {
    first: Duration,
    max: Duration,
    jitter: f64,
    reset_after: Duration,
}

impl Backoff {
    /// Restarts at once.
    #[must_use]
    pub const fn none() -> Self {
        Self::exponential(Duration::ZERO, Duration::ZERO)
    }

    /// Waits for `first`, then for twice as long each time, but never longer than `max`. It begins
    /// anew when the child has been up for as long as `max`.
    #[must_use]
    pub const fn exponential(first: Duration, max: Duration) -> Self {
        Self {
            first,
            max,
            jitter: 0.0,
            reset_after: max,
        }
    }

    /// Shortens each wait by a random part of it, up to `part`: 0 to 1, and what lies outside is
    /// taken as the nearer of them. Children that failed together don't come back together then.
    #[must_use]
    pub const fn jitter(self, part: f64) -> Self {
        let jitter = if part > 0.0 { part.min(1.0) } else { 0.0 };
        Self { jitter, ..self }
    }

    /// Begins anew when the child has been up for so long.
    #[must_use]
    pub const fn reset_after(self, healthy: Duration) -> Self {
        Self {
            reset_after: healthy,
            ..self
        }
    }

    /// Whether a child that was up for so long begins anew.
    pub(crate) fn is_healthy(&self, up: Duration) -> bool {
        up >= self.reset_after
    }

    /// The wait after so many failures in a row before this one.
    pub(crate) fn delay(&self, failures: u32, rng: &mut Rng) -> Duration {
        let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        let whole = self.first.saturating_mul(factor).min(self.max);
        if self.jitter == 0.0 || whole.is_zero() {
            return whole;
        }
        // 53 bits: all that a float tells apart below 1.
        #[allow(clippy::cast_precision_loss)]
        let random = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let part = whole.as_secs_f64() * (1.0 - self.jitter * random);
        Duration::try_from_secs_f64(part).map_or(whole, |part| part.min(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_wait_doubles_up_to_its_limit() {
        let backoff = Backoff::exponential(10 * MS, 65 * MS);
        let mut rng = Rng::seeded(1);
        let waits = [0, 1, 2, 3, 31, 32, u32::MAX].map(|n| backoff.delay(n, &mut rng) / 1_000_000);
        let expected = [10, 20, 40, 65, 65, 65, 65].map(|ms| ms * MS / 1_000_000);
        assert_eq!(waits, expected);
    }

    #[test]
    fn a_first_wait_beyond_the_limit_is_the_limit() {
        let backoff = Backoff::exponential(10 * MS, 5 * MS);
        assert_eq!(backoff.delay(0, &mut Rng::seeded(1)), 5 * MS);
    }

    #[test]
    fn jitter_shortens_by_its_part_at_most_and_repeats_with_its_seed() {
        let backoff = Backoff::exponential(100 * MS, 100 * MS).jitter(0.25);
        let draw = |seed| {
            let mut rng = Rng::seeded(seed);
            [(); 64].map(|()| backoff.delay(0, &mut rng))
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let waits = draw(7);
        assert!(waits.iter().all(|wait| (75 * MS..=100 * MS).contains(wait)));
        assert!(waits.iter().any(|wait| *wait < 80 * MS));
        assert!(waits.iter().any(|wait| *wait > 95 * MS));
    }

    #[test]
    fn a_wait_of_any_length_may_be_shortened_by_next_to_nothing() {
        let backoff = Backoff::exponential(Duration::MAX, Duration::MAX).jitter(f64::EPSILON / 4.0);
        assert_eq!(backoff.delay(0, &mut Rng::seeded(1)), Duration::MAX);
    }

    #[test]
    fn jitter_outside_its_range_is_the_nearer_end() {
        let wait = |part| {
            let backoff = Backoff::exponential(100 * MS, 100 * MS).jitter(part);
            backoff.delay(0, &mut Rng::seeded(3))
        };
        assert_eq!(wait(-1.0), wait(0.0));
        assert_eq!(wait(f64::NAN), wait(0.0));
        assert_eq!(wait(9.0), wait(1.0));
    }
}
