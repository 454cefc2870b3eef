//! Particle Gibbs: a particle filter over and over, each time with the path that was drawn the last
//! time among its particles.

use std::sync::Arc;

use greenroom::Error;
use greenroom::world::{Entry, Handlers, Run, Stream, World};

use crate::filter;
use crate::random_walk::{LATENT, PARTICLE, Particle, Walk};
use crate::weights;

/// The path that a particle is to take, in its world, if it is the one that is kept.
pub const KEPT: Entry<Arc<[f64]>> = Entry::named("kept");

/// The handlers of the particle that takes the path that is kept.
fn following() -> Handlers<Walk> {
    filter::handlers().on(LATENT, |mut savepoint| {
        let world = savepoint.world();
        let time = world
            .get(PARTICLE)
            .map_or(0, |particle| particle.path.len());
        let kept = world.get(KEPT).and_then(|kept| kept.get(time).copied());
        let value = kept.unwrap_or_default();
        if let Some(particle) = world.get_mut(PARTICLE) {
            particle.path.push(value);
        }
        savepoint.resume(value);
    })
}

/// The sampler.
#[derive(Debug)]
pub struct Sampler {
    y: &'static [f64],
    seed: u64,
    sweeps: u64,
    drawing: Handlers<Walk>,
    following: Handlers<Walk>,
    kept: Option<Arc<[f64]>>,
    weights: Vec<f64>,
    children: Vec<usize>,
}

impl Sampler {
    /// A sampler of the walk behind these looks.
    #[must_use]
    pub fn new(y: &'static [f64], seed: u64) -> Self {
        Self {
            y,
            seed,
            sweeps: 0,
            drawing: filter::handlers(),
            following: following(),
            kept: None,
            weights: Vec::new(),
            children: Vec::new(),
        }
    }

    /// One sweep with so many particles: their paths and weights are handed to `look`.
    ///
    /// # Errors
    ///
    /// When a particle has failed.
    pub fn sweep(&mut self, count: usize, mut look: impl FnMut(f64, &[f64])) -> Result<(), Error> {
        self.sweeps += 1;
        let mut world = World::seeded(self.seed);
        world = World::seeded(world.stream(self.sweeps).next_u64());
        let mut stream = world.stream(0);
        world.insert(PARTICLE, Particle::default());
        let mut particles: Vec<Run<Walk>> = (0..count)
            .map(|_| Run::prepare(world.fork(), Walk::new(self.y), &self.drawing))
            .collect();
        if let Some(kept) = self.kept.take() {
            particles[0].set_handlers(&self.following);
            if let Some(world) = particles[0].world_mut() {
                world.insert(KEPT, kept);
            }
        }
        for particle in &mut particles {
            particle.advance(usize::MAX);
        }
        for _ in 1..self.y.len() {
            self.weigh(&particles);
            self.resample(&mut particles, &mut stream)?;
            for particle in &mut particles {
                particle.resume(0.0)?;
            }
        }
        self.weigh(&particles);
        let paths = particles.iter().map(|particle| {
            let particle = filter::carried(particle);
            particle.map_or_else(Vec::new, |particle| particle.path.to_vec())
        });
        let paths: Vec<Vec<f64>> = paths.collect();
        for (weight, path) in self.weights.iter().zip(&paths) {
            look(*weight, path);
        }
        let next = weights::pick(&self.weights, &mut stream);
        self.kept = Some(Arc::from(&paths[next][..]));
        Ok(())
    }

    fn weigh(&mut self, particles: &[Run<Walk>]) {
        self.weights.clear();
        self.weights
            .extend(particles.iter().map(filter::log_weight));
        weights::normalise(&mut self.weights);
    }

    /// The first keeps its own lineage; each other one draws its ancestor by weight.
    fn resample(
        &mut self,
        particles: &mut Vec<Run<Walk>>,
        stream: &mut Stream,
    ) -> Result<(), Error> {
        weights::multinomial(
            &self.weights,
            particles.len() - 1,
            stream,
            &mut self.children,
        );
        let mut next = Vec::with_capacity(particles.len());
        for (index, mut particle) in particles.drain(..).enumerate() {
            let children = self.children[index];
            if index > 0 && children == 0 {
                continue;
            }
            filter::reset_weight(&mut particle);
            let own = usize::from(index > 0);
            let forks = (own..children).map(|_| {
                let mut fork = particle.fork()?;
                if index == 0 {
                    fork.set_handlers(&self.drawing);
                }
                Ok::<_, Error>(fork)
            });
            let forks: Vec<_> = forks.collect::<Result<_, _>>()?;
            next.push(particle);
            next.extend(forks);
        }
        *particles = next;
        Ok(())
    }
}

/// Means of the walk at some times, over sweeps after so many to warm up.
///
/// # Errors
///
/// When a particle has failed.
pub fn smooth(
    sampler: &mut Sampler,
    count: usize,
    (warm, sweeps): (usize, usize),
    times: &[usize],
) -> Result<Vec<f64>, Error> {
    for _ in 0..warm {
        sampler.sweep(count, |_, _| ())?;
    }
    let mut means = vec![0.0; times.len()];
    for _ in 0..sweeps {
        sampler.sweep(count, |weight, path| {
            for (mean, time) in means.iter_mut().zip(times) {
                *mean += weight * path[*time] / sweeps as f64;
            }
        })?;
    }
    Ok(means)
}
