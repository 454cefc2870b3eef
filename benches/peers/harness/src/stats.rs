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

/// Ratios of values that were measured one after the other, in the same round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    pub median: f64,
    /// Holds the true median in 95 of 100 runs or more; there is none for less than six pairs.
    pub interval: Option<(f64, f64)>,
    pub count: usize,
}

impl Paired {
    /// Pairs the rounds of `values` and `base`; `None` without rounds, or where a base is zero.
    pub fn of(values: &[f64], base: &[f64]) -> Option<Self> {
        let pairs = values.iter().zip(base);
        let mut ratios: Vec<f64> = pairs.map(|(value, base)| value / base).collect();
        if ratios.iter().any(|ratio| !ratio.is_finite()) {
            return None;
        }
        ratios.sort_by(f64::total_cmp);
        let interval = outside(ratios.len()).map(|left_out| {
            let high = ratios.len() - 1 - left_out;
            (ratios[left_out], ratios[high])
        });
        Some(Self {
            median: Summary::of(&ratios)?.median,
            interval,
            count: ratios.len(),
        })
    }
}

/// How many of `count` sorted values lie outside a 95 % interval of their median, at either end.
///
/// Each value is below the true median with a chance of one half, whatever the distribution. So
/// the interval from the `k`th least to the `k`th greatest misses it with twice the chance that
/// fewer than `k` of `count` coins show heads.
fn outside(count: usize) -> Option<usize> {
    const EACH_END: f64 = 0.025;
    let mut heads = 0;
    let mut chance = 0.5_f64.powi(count as i32);
    let mut below = chance;
    while below <= EACH_END {
        heads += 1;
        chance *= (count - heads + 1) as f64 / heads as f64;
        below += chance;
    }
    heads.checked_sub(1)
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
    fn as_many_values_lie_outside_an_interval_as_a_table_of_the_sign_test_says() {
        let table = [
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (12, Some(2)),
        ];
        for (count, expected) in table {
            assert_eq!(outside(count), expected, "{count}");
        }
        assert_eq!([15, 20, 25, 100].map(outside), [3, 5, 7, 39].map(Some));
        assert_eq!(outside(1_000), Some(468));
    }

    #[test]
    fn ratios_are_of_values_of_the_same_round() {
        let base = [10.0, 20.0, 40.0, 10.0, 10.0, 10.0];
        let ratios = Paired::of(&[20.0, 20.0, 20.0, 30.0, 40.0, 50.0], &base).unwrap();
        assert_eq!(ratios.median, 2.5);
        assert_eq!(ratios.interval, Some((0.5, 5.0)));
        assert_eq!(ratios.count, 6);
        assert_eq!(Paired::of(&[1.0], &[2.0]).unwrap().interval, None);
    }

    #[test]
    fn there_is_no_ratio_to_nothing() {
        assert_eq!(Paired::of(&[1.0, 2.0], &[1.0, 0.0]), None);
        assert_eq!(Paired::of(&[], &[]), None);
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
