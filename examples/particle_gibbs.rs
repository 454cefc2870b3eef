//! Particle Gibbs (`examples/inference/src/gibbs.rs`): paths of a random walk, drawn given all
//! looks at it, beside a Kalman smoother.
//!
//! `cargo run --release --features world --example particle_gibbs`, and with `-- --check` it fails
//! where the means are not the smoother's.

use std::time::Instant;

use greenroom_inference::data::RandomWalk;
use greenroom_inference::gibbs::{Sampler, smooth};
use greenroom_inference::kalman;
use greenroom_inference::report::{Line, check, per};

const LOOKS: usize = 100;
const PARTICLES: usize = 50;
const WARM: usize = 20;
const SWEEPS: usize = 2_000;

fn main() -> Result<(), greenroom::Error> {
    let y = &RandomWalk::load().y[..LOOKS];
    let exact = kalman::smooth(y);
    let mut sampler = Sampler::new(y, 1);
    let times = [0, 50, 99];
    let start = Instant::now();
    let means = smooth(&mut sampler, PARTICLES, (WARM, SWEEPS), &times)?;
    let time = start.elapsed();
    let mut is_close = true;
    for ((name, time), mean) in ["v_0", "v_50", "v_99"].into_iter().zip(times).zip(means) {
        let line = Line {
            name,
            estimate: mean,
            exact: exact.means[time],
        };
        println!("{line}");
        // Sweeps depend on each other: about one in five counts.
        let error = (exact.variances[time] / (SWEEPS as f64 / 5.0)).sqrt();
        is_close &= (mean - exact.means[time]).abs() < 4.0 * error;
    }
    let steps = PARTICLES * LOOKS * (WARM + SWEEPS);
    println!("{}", per(time, steps, "particle and look"));
    check(is_close, "the means are not those of the smoother")
}
