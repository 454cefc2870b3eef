//! How many jobs may begin within a time.

use std::time::Duration;

use tokio::time::Instant;

/// A bucket of tokens, one for each job, kept as the time at which it will be full.
pub(super) struct Rate {
    /// In which one token comes.
    interval: Duration,
    /// In which all but one of the bucket's tokens come.
    burst: Duration,
    full_at: Option<Instant>,
}

impl Rate {
    /// So many jobs at once, and so many within each `per`. `None` if that is none, or beyond what
    /// a clock tells.
    pub(super) fn new(jobs: u32, per: Duration) -> Option<Self> {
        let interval = per.checked_div(jobs)?;
        // Less than `per` is added to a time later: the other half is for the time until then.
        Instant::now().checked_add(per.checked_mul(2)?)?;
        Some(Self {
            interval,
            burst: interval.checked_mul(jobs - 1)?,
            full_at: None,
        })
        .filter(|rate| !rate.interval.is_zero())
    }

    /// Takes a token, or says when there is one.
    pub(super) fn take(&mut self, now: Instant) -> Result<(), Instant> {
        let full_at = self.full_at.map_or(now, |at| at.max(now));
        if full_at > now + self.burst {
            return Err(full_at - self.burst);
        }
        self.full_at = Some(full_at + self.interval);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    #[test]
    fn a_burst_passes_at_once_and_then_one_in_each_interval() {
        let began = Instant::now();
        let mut rate = Rate::new(3, 3 * MILLI).unwrap();
        for _ in 0..3 {
            rate.take(began).unwrap();
        }
        assert_eq!(rate.take(began), Err(began + MILLI));
        rate.take(began + MILLI).unwrap();
        assert_eq!(rate.take(began + MILLI), Err(began + 2 * MILLI));
    }

    #[test]
    fn a_long_rest_saves_up_no_more_than_a_burst() {
        let began = Instant::now();
        let mut rate = Rate::new(2, 2 * MILLI).unwrap();
        let later = began + 100 * MILLI;
        rate.take(began).unwrap();
        rate.take(later).unwrap();
        rate.take(later).unwrap();
        assert_eq!(rate.take(later), Err(later + MILLI));
    }

    #[test]
    fn a_rate_of_nothing_is_none() {
        assert!(Rate::new(0, MILLI).is_none());
        assert!(Rate::new(1, Duration::ZERO).is_none());
    }

    #[test]
    fn a_rate_beyond_what_a_clock_tells_is_none() {
        assert!(Rate::new(1, Duration::MAX).is_none());
        assert!(Rate::new(u32::MAX, Duration::MAX).is_none());
        let mut rate = Rate::new(1, Duration::MAX / 8).unwrap();
        let now = Instant::now();
        rate.take(now).unwrap();
        assert!(rate.take(now).is_err());
    }
}
