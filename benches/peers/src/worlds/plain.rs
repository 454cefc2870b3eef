//! The work as loops over arrays, and a state as a hash map that is cloned.

use std::collections::HashMap;
use std::hint::black_box;

use greenroom::world::Stream;
use greenroom_inference::data::Golf;
use greenroom_inference::golf::{log_binomial, log_prior};
use greenroom_inference::normal::{Draw, log_density};
use greenroom_inference::random_walk::{LOOK_SD, step_sd};
use greenroom_inference::tempered::increment;
use greenroom_inference::weights;

use super::{KEPT, MOVES, PARTICLES, STEPS, SWEEPS, Sampler, TEMPERED, forks};

pub struct Plain;

impl Sampler for Plain {
    const NAME: &'static str = "plain";

    /// Keeps where the particles are, and not how they got there.
    fn filter(y: &'static [f64], seed: u64) -> f64 {
        let (mut stream, draw) = (Stream::seeded(seed), Draw::default());
        let mut at: Vec<f64> = vec![0.0; PARTICLES];
        let (mut logs, mut scratch) = (vec![0.0; PARTICLES], Vec::new());
        let (mut next, mut children) = (Vec::new(), Vec::new());
        let mut log_evidence = 0.0;
        for (time, seen) in y.iter().enumerate() {
            let sd = step_sd(time);
            for (value, log) in at.iter_mut().zip(&mut logs) {
                *value += sd * draw.normal(&mut stream);
                *log += log_density(*seen, *value, LOOK_SD);
            }
            scratch.clone_from(&logs);
            let log_mean = weights::normalise(&mut scratch);
            if time + 1 == y.len() {
                log_evidence += log_mean;
            } else if weights::effective(&scratch) < 0.5 * PARTICLES as f64 {
                log_evidence += log_mean;
                weights::systematic(&scratch, &mut stream, &mut children);
                next.clear();
                for (value, count) in at.iter().zip(&children) {
                    next.extend(std::iter::repeat_n(*value, *count));
                }
                std::mem::swap(&mut at, &mut next);
                logs.fill(0.0);
            }
        }
        log_evidence
    }

    fn golf(data: &'static Golf, seed: u64) -> f64 {
        let (mut stream, draw) = (Stream::seeded(seed), Draw::default());
        let mut state = [0.0; 2].map(|_: f64| draw.normal(&mut stream));
        let mut score = log_joint(data, state, 1.0).0;
        let mut sum = 0.0;
        for index in 0..MOVES {
            step(
                data,
                &mut state,
                &mut score,
                1.0,
                (index % 2, STEPS),
                draw,
                &mut stream,
            );
            sum += state[0];
        }
        sum / MOVES as f64
    }

    /// Keeps the whole paths, as ancestors by look.
    fn gibbs(y: &'static [f64], seed: u64) -> f64 {
        let (mut stream, draw) = (Stream::seeded(seed), Draw::default());
        let mut kept: Option<Vec<f64>> = None;
        let mut sum = 0.0;
        for _ in 0..SWEEPS {
            let (weights, paths, ancestors) = sweep(y, kept.as_deref(), draw, &mut stream);
            let last = &paths[y.len() - 1];
            sum += weights
                .iter()
                .zip(last)
                .map(|(weight, value)| weight * value)
                .sum::<f64>();
            let mut index = weights::pick(&weights, &mut stream);
            let mut path = vec![0.0; y.len()];
            for time in (0..y.len()).rev() {
                path[time] = paths[time][index];
                index = ancestors[time][index];
            }
            kept = Some(path);
        }
        sum / SWEEPS as f64
    }

    fn tempered(data: &'static Golf, seed: u64) -> f64 {
        let (mut stream, draw) = (Stream::seeded(seed), Draw::default());
        let mut states: Vec<[f64; 2]> = (0..TEMPERED)
            .map(|_| [0.0; 2].map(|_: f64| draw.normal(&mut stream)))
            .collect();
        let (mut temperature, mut log_evidence) = (0.0, 0.0);
        let (mut logs, mut children) = (Vec::new(), Vec::new());
        while temperature < 1.0 {
            let fits: Vec<f64> = states
                .iter()
                .map(|state| log_joint(data, *state, 1.0).1)
                .collect();
            let rise = increment(&fits, 1.0 - temperature, &mut logs);
            temperature = if rise >= 1.0 - temperature {
                1.0
            } else {
                temperature + rise
            };
            logs.clear();
            logs.extend(fits.iter().map(|fit| rise * fit));
            log_evidence += weights::normalise(&mut logs);
            weights::systematic(&logs, &mut stream, &mut children);
            states = states
                .iter()
                .zip(&children)
                .flat_map(|(state, count)| std::iter::repeat_n(*state, *count))
                .collect();
            let spread = |index: usize| {
                let values: Vec<f64> = states.iter().map(|state| state[index]).collect();
                2.38 * greenroom_inference::report::moments(&values)[1]
            };
            let steps = [spread(0), spread(1)];
            for state in &mut states {
                let mut score = log_joint(data, *state, temperature).0;
                for index in 0..6 {
                    let how = (index % 2, steps);
                    step(data, state, &mut score, temperature, how, draw, &mut stream);
                }
            }
        }
        log_evidence
    }

    fn fork<const ENTRIES: usize>() -> f64 {
        let map = map(ENTRIES);
        forks::time(|| drop(black_box(map.clone())))
    }

    fn fork_and_write<const ENTRIES: usize>() -> f64 {
        let map = map(ENTRIES);
        let mut key = 0;
        forks::time(|| {
            let mut fork = map.clone();
            key = (key + 7919) % ENTRIES as u64;
            *fork.entry(key).or_default() += 1;
            drop(black_box(fork));
        })
    }
}

fn map(entries: usize) -> HashMap<u64, u64> {
    (0..entries as u64).map(|key| (key, key)).collect()
}

/// The logarithm of the density at a temperature, and that of the likelihood alone.
fn log_joint(data: &Golf, [a, b]: [f64; 2], temperature: f64) -> (f64, f64) {
    let mut fit = 0.0;
    for ((x, n), y) in data.x.iter().zip(data.n).zip(data.y) {
        fit += log_binomial(*y, *n, a + b * x);
    }
    (log_prior(a) + log_prior(b) + temperature * fit, fit)
}

fn step(
    data: &Golf,
    state: &mut [f64; 2],
    score: &mut f64,
    temperature: f64,
    (index, steps): (usize, [f64; 2]),
    draw: Draw,
    stream: &mut Stream,
) {
    let mut proposed = *state;
    proposed[index] += steps[index] * draw.normal(stream);
    let new = log_joint(data, proposed, temperature).0;
    if new >= *score || stream.uniform().ln() < new - *score {
        *state = proposed;
        *score = new;
    }
}

type Paths = Vec<Vec<f64>>;
type Ancestors = Vec<Vec<usize>>;

fn sweep(
    y: &[f64],
    kept: Option<&[f64]>,
    draw: Draw,
    stream: &mut Stream,
) -> (Vec<f64>, Paths, Ancestors) {
    let mut at = vec![0.0; KEPT];
    let (mut paths, mut ancestors) = (Vec::new(), vec![(0..KEPT).collect::<Vec<_>>()]);
    let mut logs = vec![0.0; KEPT];
    let mut children = Vec::new();
    for (time, seen) in y.iter().enumerate() {
        if time > 0 {
            weights::multinomial(&logs, KEPT - 1, stream, &mut children);
            let drawn = children.iter().enumerate();
            let others = drawn.flat_map(|(index, count)| std::iter::repeat_n(index, *count));
            let of: Vec<usize> = std::iter::once(0).chain(others).collect();
            at = of.iter().map(|index| at[*index]).collect();
            ancestors.push(of);
        }
        let sd = step_sd(time);
        for (index, (value, log)) in at.iter_mut().zip(&mut logs).enumerate() {
            *value = match kept {
                Some(kept) if index == 0 => kept[time],
                _ => *value + sd * draw.normal(stream),
            };
            *log = log_density(*seen, *value, LOOK_SD);
        }
        weights::normalise(&mut logs);
        paths.push(at.clone());
    }
    (logs, paths, ancestors)
}
