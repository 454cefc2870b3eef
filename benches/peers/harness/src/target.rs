//! What greenroom must reach in a workload, and whether it does.

use crate::stats::{Paired, Summary};

/// Pairs below which the end of an interval decides nothing.
pub const PAIRS_MIN: usize = 15;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Must {
    /// At most this share of the base, by the median of the pairs.
    Ratio(f64),
    /// At most this share, by the lower end of the interval: for workloads where the machine's
    /// noise is larger than what is asked. Needs [`PAIRS_MIN`] pairs.
    LowRatio(f64),
    /// At least this share of the base, by the median of the pairs: for what is per second.
    AtLeast(f64),
    /// At most so much, in the workload's unit.
    AtMost(f64),
    Within(f64, f64),
    /// At most so much beyond the base.
    Beyond(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    pub row: &'static str,
    pub must: Must,
    /// What is better than a must, where there is such a thing.
    pub aim: Option<Must>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The aim is reached, too, where the workload has one.
    Aim,
    Pass,
    Miss,
    /// Too few rounds, or no base, to tell.
    Open,
}

impl Target {
    pub const fn new(row: &'static str, must: Must) -> Self {
        Self {
            row,
            must,
            aim: None,
        }
    }

    pub const fn aiming_at(self, aim: Must) -> Self {
        Self {
            aim: Some(aim),
            ..self
        }
    }

    pub fn judge(&self, own: &Summary, base: Option<&Summary>, pairs: Option<&Paired>) -> Verdict {
        let holds = |must: Must| must.holds(own, base, pairs);
        match (holds(self.must), self.aim.map(holds)) {
            (None, _) => Verdict::Open,
            (Some(false), _) => Verdict::Miss,
            (Some(true), None | Some(Some(true))) => Verdict::Aim,
            (Some(true), Some(_)) => Verdict::Pass,
        }
    }
}

impl Must {
    /// `None` if there are too few rounds, or no base, to tell.
    fn holds(self, own: &Summary, base: Option<&Summary>, pairs: Option<&Paired>) -> Option<bool> {
        let median = pairs.map(|pairs| pairs.median);
        let low = pairs
            .filter(|pairs| pairs.count >= PAIRS_MIN)
            .and_then(|pairs| pairs.interval)
            .map(|(low, _)| low);
        match self {
            Self::Ratio(must) => median.map(|ratio| ratio <= must),
            Self::AtLeast(must) => median.map(|ratio| ratio >= must),
            Self::LowRatio(must) => low.map(|ratio| ratio <= must),
            Self::AtMost(must) => Some(own.median <= must),
            Self::Within(least, most) => Some((least..=most).contains(&own.median)),
            Self::Beyond(must) => base.map(|base| own.median <= base.median + must),
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Ratio(must) => format!("≤ {must:.2}×"),
            Self::AtLeast(must) => format!("≥ {must:.2}×"),
            Self::LowRatio(must) => format!("low ≤ {must:.2}×"),
            Self::AtMost(must) => format!("≤ {must}"),
            Self::Within(least, most) => format!("{least:.2}–{most:.2}"),
            Self::Beyond(must) => format!("≤ base + {must}"),
        }
    }
}

impl Verdict {
    pub fn text(self) -> &'static str {
        match self {
            Self::Aim => "PASS",
            Self::Pass => "PASS, not the aim",
            Self::Miss => "MISS",
            Self::Open => "too few rounds",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(must: Must, own: &[f64], base: &[f64]) -> Verdict {
        judge_target(Target::new("work", must), own, base)
    }

    fn judge_target(target: Target, own: &[f64], base: &[f64]) -> Verdict {
        let base_summary = Summary::of(base);
        target.judge(
            &Summary::of(own).unwrap(),
            base_summary.as_ref(),
            Paired::of(own, base).as_ref(),
        )
    }

    #[test]
    fn a_ratio_is_judged_by_its_median() {
        let base = [100.0; 3];
        assert_eq!(
            judge(Must::Ratio(0.7), &[70.0, 60.0, 99.0], &base),
            Verdict::Aim
        );
        assert_eq!(
            judge(Must::Ratio(0.7), &[71.0, 60.0, 99.0], &base),
            Verdict::Miss
        );
        assert_eq!(judge(Must::Ratio(0.7), &[70.0], &[]), Verdict::Open);
        assert_eq!(judge(Must::AtLeast(0.7), &[71.0; 3], &base), Verdict::Aim);
        assert_eq!(judge(Must::AtLeast(0.7), &[69.0; 3], &base), Verdict::Miss);
    }

    #[test]
    fn what_is_not_the_aim_may_pass() {
        let base = [100.0; 3];
        let target = Target::new("work", Must::Ratio(1.4)).aiming_at(Must::AtMost(90.0));
        assert_eq!(judge_target(target, &[139.0; 3], &base), Verdict::Pass);
        assert_eq!(judge_target(target, &[90.0; 3], &base), Verdict::Aim);
        assert_eq!(judge_target(target, &[141.0; 3], &base), Verdict::Miss);
    }

    #[test]
    fn a_noisy_ratio_is_judged_by_the_lower_end_of_enough_pairs() {
        let own: Vec<f64> = (0..15).map(|n| 104.0 + f64::from(n)).collect();
        let base = [100.0; 15];
        // The fourth of fifteen is 107.
        assert_eq!(judge(Must::LowRatio(1.07), &own, &base), Verdict::Aim);
        assert_eq!(judge(Must::LowRatio(1.06), &own, &base), Verdict::Miss);
        assert_eq!(
            judge(Must::LowRatio(1.07), &own[..14], &base[..14]),
            Verdict::Open
        );
    }

    #[test]
    fn other_musts_are_judged_in_the_unit() {
        assert_eq!(judge(Must::AtMost(9.0), &[9.0], &[]), Verdict::Aim);
        assert_eq!(judge(Must::AtMost(9.0), &[9.1], &[]), Verdict::Miss);
        assert_eq!(judge(Must::Within(0.33, 0.67), &[0.5], &[]), Verdict::Aim);
        assert_eq!(judge(Must::Within(0.33, 0.67), &[0.7], &[]), Verdict::Miss);
        assert_eq!(judge(Must::Within(0.33, 0.67), &[0.3], &[]), Verdict::Miss);
        assert_eq!(judge(Must::Beyond(5.0), &[5.2], &[0.3]), Verdict::Aim);
        assert_eq!(judge(Must::Beyond(5.0), &[5.4], &[0.3]), Verdict::Miss);
        assert_eq!(judge(Must::Beyond(5.0), &[5.0], &[]), Verdict::Open);
    }
}
