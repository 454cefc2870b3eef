//! Tempered sequential Monte Carlo: whole runs, drawn from the prior, are led to the posterior by
//! letting what was seen count more and more.

use greenroom::Error;
use greenroom::world::Stream;

use crate::golf::Golf;
use crate::metropolis::Chain;
use crate::{report, weights};

/// What the sampler has found.
#[derive(Debug, Clone)]
pub struct Tempered {
    /// The logarithm of the evidence.
    pub log_evidence: f64,
    /// Mean and standard deviation of a and of b.
    pub moments: [[f64; 2]; 2],
    /// How many temperatures it took.
    pub temperatures: usize,
}

/// How far the temperature may rise, `left` at most, so that half of the particles still count: by
/// bisection, with `weights` for scratch.
pub fn increment(likelihoods: &[f64], left: f64, weights: &mut Vec<f64>) -> f64 {
    let mut effective = |rise: f64| {
        weights.clear();
        weights.extend(likelihoods.iter().map(|likelihood| rise * likelihood));
        weights::normalise(weights);
        weights::effective(weights)
    };
    let wanted = 0.5 * likelihoods.len() as f64;
    if effective(left) >= wanted {
        return left;
    }
    let (mut low, mut high) = (0.0, left);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if effective(middle) < wanted {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Samples with so many particles.
///
/// # Errors
///
/// When a run has failed.
pub fn sample(program: Golf, count: usize, seed: u64) -> Result<Tempered, Error> {
    let mut stream = Stream::seeded(seed);
    let mut particles = (0..count)
        .map(|_| Chain::begin(program, stream.next_u64(), [1.0; 2]))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut temperature, mut log_evidence, mut temperatures) = (0.0, 0.0, 0);
    let (mut scratch, mut children) = (Vec::new(), Vec::new());
    while temperature < 1.0 {
        let likelihoods: Vec<f64> = particles
            .iter()
            .map(|particle| particle.state.trace.likelihood)
            .collect();
        let rise = increment(&likelihoods, 1.0 - temperature, &mut scratch);
        temperature = if rise >= 1.0 - temperature {
            1.0
        } else {
            temperature + rise
        };
        temperatures += 1;
        scratch.clear();
        scratch.extend(likelihoods.iter().map(|likelihood| rise * likelihood));
        log_evidence += weights::normalise(&mut scratch);
        weights::systematic(&scratch, &mut stream, &mut children);
        particles = resample(particles, &children, &mut stream)?;
        let spreads = moments(&particles).map(|[_, sd]| 2.38 * sd);
        for particle in &mut particles {
            particle.temperature = temperature;
            particle.steps = spreads;
            for index in 0..2 * SWEEPS {
                particle.step(index % 2)?;
            }
        }
    }
    Ok(Tempered {
        log_evidence,
        moments: moments(&particles),
        temperatures,
    })
}

/// Moves of each coefficient at each temperature.
const SWEEPS: usize = 3;

/// Means and standard deviations of the particles' coefficients.
fn moments(particles: &[Chain]) -> [[f64; 2]; 2] {
    [0, 1].map(|index| {
        let values = particles
            .iter()
            .map(|particle| particle.state.trace.values[index]);
        report::moments(&values.collect::<Vec<_>>())
    })
}

fn resample(
    particles: Vec<Chain>,
    children: &[usize],
    stream: &mut Stream,
) -> Result<Vec<Chain>, Error> {
    let mut next = Vec::with_capacity(particles.len());
    for (mut particle, &count) in particles.into_iter().zip(children) {
        for _ in 1..count {
            next.push(particle.fork(stream.next_u64())?);
        }
        if count > 0 {
            next.push(particle);
        }
    }
    Ok(next)
}
