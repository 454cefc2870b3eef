//! Golf putting, as a program: a, b ~ N(0, 1), and of n_i putts from x_i feet Binomial(n_i,
//! logistic(a + b x_i)) go in.

use std::convert::Infallible;

use greenroom::world::{Entry, Program, Scope, Site, Step, Stream};

use crate::data;
use crate::normal::{self, Draw};

/// Where a coefficient is chosen.
pub const COEFFICIENT: Site = Site::named("coefficient");
/// Where the putts of a distance are counted.
pub const PUTTS: Site = Site::named("putts");

/// The trace of a run, in its world.
pub const TRACE: Entry<Trace> = Entry::named("trace");

/// The coefficients that were chosen, and the logarithms of the densities there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trace {
    /// a and b.
    pub values: [f64; 2],
    /// Of the choices.
    pub prior: [f64; 2],
    /// Of all the putts.
    pub likelihood: f64,
}

/// What a savepoint of the program offers.
#[derive(Debug, Clone, Copy)]
pub enum Offer {
    /// A coefficient, by its number.
    Coefficient(usize),
    /// Putts that were made: how many of how many went in, and the logarithm of the odds.
    Putts {
        /// How many went in.
        made: f64,
        /// How many there were.
        tried: f64,
        /// The logarithm of the odds.
        logit: f64,
    },
}

impl From<Offer> for f64 {
    fn from(_: Offer) -> Self {
        0.0
    }
}

/// The program.
#[derive(Debug, Clone, Copy)]
pub struct Golf {
    data: &'static data::Golf,
    values: [f64; 2],
    chosen: usize,
    /// Distances whose putts are counted.
    counted: usize,
}

impl Golf {
    /// The model of these putts.
    #[must_use]
    pub fn new(data: &'static data::Golf) -> Self {
        Self {
            data,
            values: [0.0; 2],
            chosen: 0,
            counted: 0,
        }
    }
}

impl Program for Golf {
    type Payload = Offer;
    type Value = f64;
    type Output = ();
    type Error = Infallible;

    #[inline]
    fn step(&mut self, _: &mut Scope<'_>, value: Option<f64>) -> Step<Self> {
        if let Some(value) = value {
            match self.values.get_mut(self.chosen) {
                Some(slot) => {
                    *slot = value;
                    self.chosen += 1;
                }
                None => self.counted += 1,
            }
        }
        if self.chosen < self.values.len() {
            return Step::savepoint(COEFFICIENT, Offer::Coefficient(self.chosen));
        }
        let Some(&x) = self.data.x.get(self.counted) else {
            return Step::Done(());
        };
        let putts = Offer::Putts {
            made: self.data.y[self.counted],
            tried: self.data.n[self.counted],
            logit: self.values[0] + self.values[1] * x,
        };
        Step::savepoint(PUTTS, putts)
    }
}

/// The logarithm of a binomial probability, from the logarithm of the odds.
#[inline]
#[must_use]
pub fn log_binomial(made: f64, tried: f64, logit: f64) -> f64 {
    let choose = log_gamma(tried + 1.0) - log_gamma(made + 1.0) - log_gamma(tried - made + 1.0);
    // ln(1 + e^logit), which does not overflow.
    let soft = logit.max(0.0) + (-logit.abs()).exp().ln_1p();
    choose + made * logit - tried * soft
}

/// The logarithm of the gamma function, by Lanczos' sum of nine terms.
#[must_use]
pub fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (index, term) in TERMS.iter().enumerate() {
        sum += term / (x + index as f64 + 1.0);
    }
    let base = x + 7.5;
    normal::HALF_LOG_TAU + (x + 0.5) * base.ln() - base + sum.ln()
}

/// A choice from the prior.
#[must_use]
pub fn from_prior(draw: Draw, stream: &mut Stream) -> f64 {
    draw.normal(stream)
}

/// The logarithm of a choice's density.
#[must_use]
pub fn log_prior(value: f64) -> f64 {
    normal::log_density(value, 0.0, 1.0)
}
