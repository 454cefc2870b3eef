//! The suite `worlds`: inference out of forks and savepoints beside loops that do the same work,
//! and what a fork costs beside a deep clone.

mod forks;
mod greenroom;
mod plain;

use std::time::Instant;

use greenroom_inference::data::{Golf, RandomWalk};

use crate::stats::nanos_per_item;
use crate::suite::{Cell, Column, Measure, Suite, Unit};
use crate::target::Must::Ratio;
use crate::target::Target;

/// Particles of the filter, and of a Gibbs sweep.
const PARTICLES: usize = 1_000;
const KEPT: usize = 50;
/// Sweeps and looks of a Gibbs run.
const SWEEPS: usize = 30;
const LOOKS: usize = 100;
/// Particles of the tempered sampler.
const TEMPERED: usize = 2_000;
/// Moves of a chain that are timed together.
const MOVES: usize = 20_000;
/// How far the chain proposes to go.
const STEPS: [f64; 2] = [0.077, 0.0088];

/// Those who do the work.
trait Sampler {
    const NAME: &'static str;

    /// Filters all looks: the logarithm of the evidence.
    fn filter(y: &'static [f64], seed: u64) -> f64;
    /// A chain over the golf data: the mean of its a.
    fn golf(data: &'static Golf, seed: u64) -> f64;
    /// A Gibbs run: the mean of its last look.
    fn gibbs(y: &'static [f64], seed: u64) -> f64;
    /// A tempered run: the logarithm of the evidence.
    fn tempered(data: &'static Golf, seed: u64) -> f64;
    /// Nanoseconds to fork so many entries, and to drop the fork.
    fn fork<const ENTRIES: usize>() -> f64;
    /// The same with one entry written in between.
    fn fork_and_write<const ENTRIES: usize>() -> f64;
}

pub fn suite() -> Suite {
    Suite {
        name: "worlds",
        columns: vec![column::<greenroom::Greenroom>(), column::<plain::Plain>()],
        base: plain::Plain::NAME,
        targets: TARGETS,
        relations: Vec::new(),
    }
}

const TARGETS: &[Target] = &[
    Target::new("w1_particle_step", Ratio(5.0)),
    Target::new("w3_move", Ratio(2.5)),
    Target::new("particle_gibbs", Ratio(6.0)),
];

/// The time of `runs` runs, each of so many items, after one to warm up.
fn time(runs: u64, items: usize, mut run: impl FnMut(u64) -> f64) -> f64 {
    let mut sum = run(0);
    let start = Instant::now();
    for seed in 1..=runs {
        sum += run(seed);
    }
    let elapsed = start.elapsed();
    std::hint::black_box(sum);
    nanos_per_item(elapsed, runs * items as u64)
}

fn filter<S: Sampler>() -> f64 {
    let y = RandomWalk::load().y;
    time(5, PARTICLES * y.len(), |seed| S::filter(y, seed))
}

fn chain<S: Sampler>() -> f64 {
    let data = Golf::load();
    time(5, MOVES, |seed| S::golf(data, seed))
}

fn gibbs<S: Sampler>() -> f64 {
    let y = &RandomWalk::load().y[..LOOKS];
    time(5, 1, |seed| S::gibbs(y, seed))
}

fn tempered<S: Sampler>() -> f64 {
    let data = Golf::load();
    time(2, 1, |seed| S::tempered(data, seed))
}

fn column<S: Sampler>() -> Column {
    let nanos = |workload, run| Cell::new(workload, Measure::Figure(Unit::Nanos, run));
    let cells = vec![
        nanos("w1_particle_step", filter::<S>),
        nanos("w3_move", chain::<S>),
        nanos("particle_gibbs", gibbs::<S>),
        nanos("tempered_smc", tempered::<S>),
        nanos("fork_10", S::fork::<10>),
        nanos("fork_1000", S::fork::<1_000>),
        nanos("fork_100000", S::fork::<100_000>),
        nanos("fork_1000000", S::fork::<1_000_000>),
        nanos("fork_write_10", S::fork_and_write::<10>),
        nanos("fork_write_1000", S::fork_and_write::<1_000>),
        nanos("fork_write_100000", S::fork_and_write::<100_000>),
        nanos("fork_write_1000000", S::fork_and_write::<1_000_000>),
    ];
    Column {
        peer: S::NAME,
        cells,
    }
}
