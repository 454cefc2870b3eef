//! The work as programs in worlds.

use std::hint::black_box;

use greenroom::world::{Entry, World};
use greenroom_inference::data;
use greenroom_inference::filter::filter;
use greenroom_inference::gibbs;
use greenroom_inference::golf;
use greenroom_inference::metropolis::{Chain, posterior};
use greenroom_inference::tempered::sample;

use super::{KEPT, MOVES, PARTICLES, STEPS, SWEEPS, Sampler, TEMPERED, forks};

pub struct Greenroom;

const CELL: Entry<u64> = Entry::named("cell");

fn world(entries: usize) -> World {
    let mut world = World::seeded(1);
    for key in 0..entries as u64 {
        world.insert(CELL.at(key), key);
    }
    world
}

impl Sampler for Greenroom {
    const NAME: &'static str = "greenroom";

    fn filter(y: &'static [f64], seed: u64) -> f64 {
        filter(y, PARTICLES, seed).unwrap().log_evidence
    }

    fn golf(data: &'static data::Golf, seed: u64) -> f64 {
        let mut chain = Chain::begin(golf::Golf::new(data), seed, STEPS).unwrap();
        posterior(&mut chain, 0, MOVES).unwrap()[0][0]
    }

    fn gibbs(y: &'static [f64], seed: u64) -> f64 {
        let mut sampler = gibbs::Sampler::new(y, seed);
        gibbs::smooth(&mut sampler, KEPT, (0, SWEEPS), &[y.len() - 1]).unwrap()[0]
    }

    fn tempered(data: &'static data::Golf, seed: u64) -> f64 {
        let program = golf::Golf::new(data);
        sample(program, TEMPERED, seed).unwrap().log_evidence
    }

    fn fork<const ENTRIES: usize>() -> f64 {
        let mut world = world(ENTRIES);
        forks::time(|| drop(black_box(world.fork())))
    }

    fn fork_and_write<const ENTRIES: usize>() -> f64 {
        let mut world = world(ENTRIES);
        let mut key = 0;
        forks::time(|| {
            let mut fork = world.fork();
            key = (key + 7919) % ENTRIES as u64;
            if let Some(value) = fork.get_mut(CELL.at(key)) {
                *value += 1;
            }
            drop(black_box(fork));
        })
    }
}
