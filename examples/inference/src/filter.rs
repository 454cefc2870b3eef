//! A particle filter: forks of one program, weighed at each look and resampled when few of them
//! still count.

use greenroom::Error;
use greenroom::world::{Counts, ForkError, Handlers, Run, World};

use crate::random_walk::{LATENT, OBSERVED, PARTICLE, Particle, Walk};
use crate::{normal, weights};

/// What a filter has found.
#[derive(Debug, Clone)]
pub struct Filtered {
    /// The logarithm of the estimate.
    pub log_evidence: f64,
    /// The mean of the walk's last step, and its standard deviation.
    pub last: [f64; 2],
    /// At how many looks the particles were resampled.
    pub resampled: usize,
    /// What became of the savepoints of the last particles.
    pub counts: Counts,
}

/// Draws at each choice, weighs at each look, and leaves the particle there.
#[must_use]
pub fn handlers() -> Handlers<Walk> {
    let draw = normal::Draw::default();
    Handlers::<Walk>::new()
        .on(LATENT, move |mut savepoint| {
            let mut stream = savepoint.stream();
            let (payload, world) = savepoint.split();
            let value = payload.mean + payload.sd * draw.normal(&mut stream);
            if let Some(particle) = world.get_mut(PARTICLE) {
                particle.path.push(value);
            }
            savepoint.resume(value);
        })
        .on(OBSERVED, |mut savepoint| {
            let (payload, world) = savepoint.split();
            let score = normal::log_density(payload.seen, payload.mean, payload.sd);
            if let Some(particle) = world.get_mut(PARTICLE) {
                particle.log_weight += score;
            }
        })
}

/// Particles before their first choice, each with a seed of its own.
#[must_use]
pub fn begin(
    y: &'static [f64],
    count: usize,
    seed: u64,
    handlers: &Handlers<Walk>,
) -> Vec<Run<Walk>> {
    let mut world = World::seeded(seed);
    world.insert(PARTICLE, Particle::default());
    let forks = (0..count).map(|_| Run::prepare(world.fork(), Walk::new(y), handlers));
    forks.collect()
}

/// What a particle carries; none if its run was abandoned.
#[must_use]
pub fn carried(particle: &Run<Walk>) -> Option<&Particle> {
    particle.world()?.get(PARTICLE)
}

/// What a particle has added up since it was last resampled.
#[must_use]
pub fn log_weight(particle: &Run<Walk>) -> f64 {
    carried(particle).map_or(f64::NEG_INFINITY, |particle| particle.log_weight)
}

/// Lets a particle add up its weight anew.
pub fn reset_weight(particle: &mut Run<Walk>) {
    let world = particle.world_mut();
    if let Some(particle) = world.and_then(|world| world.get_mut(PARTICLE)) {
        particle.log_weight = 0.0;
    }
}

/// Gives each particle as many descendants as it is due: forks, and at last itself.
///
/// # Errors
///
/// When one is not at a savepoint.
pub fn resample(particles: &mut Vec<Run<Walk>>, children: &[usize]) -> Result<(), ForkError> {
    let mut next = Vec::with_capacity(particles.len());
    for (mut particle, &count) in particles.drain(..).zip(children) {
        if count == 0 {
            continue;
        }
        reset_weight(&mut particle);
        for _ in 1..count {
            next.push(particle.fork()?);
        }
        next.push(particle);
    }
    *particles = next;
    Ok(())
}

/// Filters all looks with so many particles.
///
/// # Errors
///
/// When a particle has failed.
pub fn filter(y: &'static [f64], count: usize, seed: u64) -> Result<Filtered, Error> {
    let mut particles = begin(y, count, seed, &handlers());
    let mut log_evidence = 0.0;
    let mut resampled = 0;
    let (mut logs, mut children) = (vec![0.0; count], Vec::new());
    for (log, particle) in logs.iter_mut().zip(&mut particles) {
        particle.advance(usize::MAX);
        *log = log_weight(particle);
    }
    for time in 0..y.len() {
        let log_mean = weights::normalise(&mut logs);
        let is_last = time + 1 == y.len();
        if is_last {
            log_evidence += log_mean;
            break;
        }
        if weights::effective(&logs) < 0.5 * count as f64 {
            log_evidence += log_mean;
            resampled += 1;
            let mut stream = greenroom::world::Stream::seeded(seed ^ time as u64);
            weights::systematic(&logs, &mut stream, &mut children);
            resample(&mut particles, &children)?;
        }
        // Read while it is at hand: a population does not fit in the nearest cache.
        for (log, particle) in logs.iter_mut().zip(&mut particles) {
            particle.resume(0.0)?;
            *log = log_weight(particle);
        }
    }
    let mut counts = Counts::default();
    for particle in &particles {
        let of_one = particle.counts().unwrap_or_default();
        counts.published += of_one.published;
        counts.inline += of_one.inline;
        counts.suspended += of_one.suspended;
    }
    let lasts = particles.iter().map(|particle| {
        let last = carried(particle).and_then(|particle| particle.path.last());
        last.unwrap_or(f64::NAN)
    });
    let last = weights::moments(&logs, lasts);
    Ok(Filtered {
        log_evidence,
        last,
        resampled,
        counts,
    })
}
