//! Weights of particles, as logarithms, and who of them has children.

use greenroom::world::Stream;

/// The largest of them: minus infinity if all are.
#[must_use]
pub fn largest(logs: &[f64]) -> f64 {
    logs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Weights that add up to 1, in place; what comes back is the logarithm of the mean weight.
///
/// Where all weights are 0 they become equal.
pub fn normalise(logs: &mut [f64]) -> f64 {
    let top = largest(logs);
    let count = logs.len() as f64;
    if top == f64::NEG_INFINITY {
        logs.fill(1.0 / count);
        return top;
    }
    let mut sum = 0.0;
    for log in &mut *logs {
        *log = (*log - top).exp();
        sum += *log;
    }
    for weight in &mut *logs {
        *weight /= sum;
    }
    top + (sum / count).ln()
}

/// How many equal weights would be as good as these.
#[must_use]
pub fn effective(weights: &[f64]) -> f64 {
    1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>()
}

/// How many children each has: one uniform number, and thresholds 1/n apart.
pub fn systematic(weights: &[f64], stream: &mut Stream, children: &mut Vec<usize>) {
    let count = weights.len();
    let first = stream.uniform();
    children.clear();
    children.resize(count, 0);
    let (mut index, mut sum) = (0, weights[0]);
    for child in 0..count {
        let threshold = (first + child as f64) / count as f64;
        while sum < threshold && index + 1 < count {
            index += 1;
            sum += weights[index];
        }
        children[index] += 1;
    }
}

/// One of them, by weight.
pub fn pick(weights: &[f64], stream: &mut Stream) -> usize {
    let mut left = stream.uniform();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    weights.len() - 1
}

/// Mean and standard deviation of values by weight.
pub fn moments(weights: &[f64], values: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    let weighed = weights.iter().zip(values);
    let mean: f64 = weighed.clone().map(|(weight, value)| weight * value).sum();
    let square = |(weight, value): (&f64, f64)| weight * (value - mean).powi(2);
    [mean, weighed.map(square).sum::<f64>().sqrt()]
}

/// How many children each has, if so many are drawn by weight.
pub fn multinomial(weights: &[f64], draws: usize, stream: &mut Stream, children: &mut Vec<usize>) {
    children.clear();
    children.resize(weights.len(), 0);
    // Sorted uniform numbers, as sums of exponential ones: one pass over the weights.
    let mut gaps = Vec::with_capacity(draws + 1);
    let mut total = 0.0;
    for _ in 0..=draws {
        total -= (1.0 - stream.uniform()).ln();
        gaps.push(total);
    }
    let (mut index, mut sum) = (0, weights[0]);
    for gap in &gaps[..draws] {
        while sum < gap / total && index + 1 < weights.len() {
            index += 1;
            sum += weights[index];
        }
        children[index] += 1;
    }
}
