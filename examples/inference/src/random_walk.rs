//! A random walk that is seen through noise, as a program: v_0 ~ N(0, 1), v_t ~ N(v_{t-1}, 0.1),
//! y_t ~ N(v_t, 1).

use std::convert::Infallible;

use greenroom::world::{Entry, Program, Scope, Site, Step};

use crate::path::Path;

/// Where a step of the walk is chosen.
pub const LATENT: Site = Site::named("latent");
/// Where the walk is looked at.
pub const OBSERVED: Site = Site::named("observed");

/// What a particle carries in its world.
pub const PARTICLE: Entry<Particle> = Entry::named("particle");

/// A path, and how well it fits.
#[derive(Debug, Clone, Default)]
pub struct Particle {
    /// What its looks have added up to since it was resampled.
    pub log_weight: f64,
    /// Its choices.
    pub path: Path,
}

/// The standard deviation of the walk's steps: the first one is where it begins.
#[inline]
#[must_use]
pub const fn step_sd(time: usize) -> f64 {
    if time == 0 { 1.0 } else { 0.1 }
}

/// The standard deviation of what is seen.
pub const LOOK_SD: f64 = 1.0;

/// A normal distribution; at a look also what was seen.
#[derive(Debug, Clone, Copy)]
pub struct Normal {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub sd: f64,
    /// What was seen.
    pub seen: f64,
}

impl From<Normal> for f64 {
    fn from(normal: Normal) -> Self {
        normal.mean
    }
}

/// The program.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    y: &'static [f64],
    time: usize,
    is_chosen: bool,
    at: f64,
}

impl Walk {
    /// The walk behind these looks.
    #[must_use]
    pub fn new(y: &'static [f64]) -> Self {
        Self {
            y,
            time: 0,
            is_chosen: false,
            at: 0.0,
        }
    }
}

impl Program for Walk {
    type Payload = Normal;
    type Value = f64;
    type Output = ();
    type Error = Infallible;

    #[inline]
    fn step(&mut self, _: &mut Scope<'_>, value: Option<f64>) -> Step<Self> {
        if let Some(value) = value {
            if self.is_chosen {
                self.time += 1;
            } else {
                self.at = value;
            }
            self.is_chosen = !self.is_chosen;
        }
        let Some(&seen) = self.y.get(self.time) else {
            return Step::Done(());
        };
        let mean = self.at;
        if self.is_chosen {
            return Step::savepoint(
                OBSERVED,
                Normal {
                    mean,
                    sd: LOOK_SD,
                    seen,
                },
            );
        }
        let sd = step_sd(self.time);
        Step::savepoint(LATENT, Normal { mean, sd, seen })
    }
}
