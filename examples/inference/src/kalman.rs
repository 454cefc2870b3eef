//! The exact answers for the random walk: a Kalman filter, and the smoother that runs back.

use crate::normal::log_density;
use crate::random_walk::{LOOK_SD, step_sd};

/// What is known of the walk's steps from all the looks.
#[derive(Debug, Clone)]
pub struct Smoothed {
    /// The means of the steps.
    pub means: Vec<f64>,
    /// Their variances.
    pub variances: Vec<f64>,
    /// The logarithm of the evidence.
    pub log_evidence: f64,
}

/// Filters and smooths.
#[must_use]
pub fn smooth(y: &[f64]) -> Smoothed {
    const STEP: f64 = step_sd(1) * step_sd(1);
    let (mut mean, mut variance) = (0.0, step_sd(0) * step_sd(0));
    let (mut means, mut variances) = (Vec::new(), Vec::new());
    let mut log_evidence = 0.0;
    for (time, seen) in y.iter().enumerate() {
        if time > 0 {
            variance += STEP;
        }
        let spread: f64 = variance + LOOK_SD * LOOK_SD;
        log_evidence += log_density(*seen, mean, spread.sqrt());
        let gain = variance / spread;
        mean += gain * (seen - mean);
        variance *= 1.0 - gain;
        means.push(mean);
        variances.push(variance);
    }
    for time in (0..y.len().saturating_sub(1)).rev() {
        let gain = variances[time] / (variances[time] + STEP);
        means[time] += gain * (means[time + 1] - means[time]);
        variances[time] += gain * gain * (variances[time + 1] - variances[time] - STEP);
    }
    Smoothed {
        means,
        variances,
        log_evidence,
    }
}
