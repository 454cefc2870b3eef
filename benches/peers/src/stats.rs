//! The few statistics that the tables need.

use std::time::Duration;

/// The least, middle and greatest of what the rounds gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub min: f64,
    pub median: f64,
    pub max: f64,
    pub rounds: usize,
}

impl Summary {
    /// Sums up one value per round; `None` without rounds.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let upper = sorted[sorted.len() / 2];
        let lower = sorted[(sorted.len() - 1) / 2];
        let median = (lower + upper) / 2.0;
        Some(Self {
            min,
            median,
            max,
            rounds: sorted.len(),
        })
    }
}

/// The least sample that `percent` of all samples do not exceed (nearest rank).
pub fn percentile(samples: &mut [u64], percent: usize) -> u64 {
    assert!(!samples.is_empty() && (1..=100).contains(&percent));
    let rank = (samples.len() * percent).div_ceil(100);
    *samples.select_nth_unstable(rank - 1).1
}

/// Nanoseconds of wall time for each of `items`.
pub fn nanos_per_item(elapsed: Duration, items: u64) -> f64 {
    elapsed.as_nanos() as f64 / items as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rounds_have_no_summary() {
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn an_odd_number_of_rounds_has_its_middle_as_median() {
        let summary = Summary::of(&[9.0, 1.0, 4.0]).unwrap();
        assert_eq!(
            summary,
            Summary {
                min: 1.0,
                median: 4.0,
                max: 9.0,
                rounds: 3
            }
        );
    }

    #[test]
    fn an_even_number_of_rounds_has_the_mean_of_both_middles_as_median() {
        assert_eq!(Summary::of(&[4.0, 1.0, 9.0, 2.0]).unwrap().median, 3.0);
    }

    #[test]
    fn a_percentile_is_one_of_the_samples() {
        let mut samples: Vec<u64> = (1..=1000).rev().collect();
        assert_eq!(percentile(&mut samples, 99), 990);
        assert_eq!(percentile(&mut samples, 100), 1000);
        assert_eq!(percentile(&mut [7], 50), 7);
    }

    #[test]
    fn time_is_shared_among_items() {
        assert_eq!(nanos_per_item(Duration::from_micros(3), 4), 750.0);
    }
}
