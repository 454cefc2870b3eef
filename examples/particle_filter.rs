//! A particle filter (`examples/inference/src/filter.rs`): a thousand forks of one program, each
//! with its own guess of a random walk, weighed at each look at it and resampled when few of them
//! still count.
//!
//! `cargo run --release --features world --example particle_filter`, and with `-- --check` for
//! 200 seeds: the mean of exp(error) is then within three standard errors of 1.

use std::time::Instant;

use greenroom_inference::data::RandomWalk;
use greenroom_inference::filter::filter;
use greenroom_inference::report::{Line, check, is_checked, moments, per};

const PARTICLES: usize = 1000;
const SEEDS: u64 = 200;

fn main() -> Result<(), greenroom::Error> {
    let data = RandomWalk::load();
    let start = Instant::now();
    let filtered = filter(data.y, PARTICLES, 1)?;
    let time = start.elapsed();
    let line = Line {
        name: "log evidence",
        estimate: filtered.log_evidence,
        exact: data.log_evidence,
    };
    println!("{line}");
    println!(
        "resampled at {} of {} looks",
        filtered.resampled,
        data.y.len()
    );
    println!("{:?}", filtered.counts);
    println!(
        "{}",
        per(time, PARTICLES * data.y.len(), "particle and look")
    );
    if is_checked() {
        run_seeds(&data)?;
    }
    Ok(())
}

fn run_seeds(data: &RandomWalk) -> Result<(), greenroom::Error> {
    let start = Instant::now();
    let mut ratios = Vec::new();
    for seed in 0..SEEDS {
        let filtered = filter(data.y, PARTICLES, seed)?;
        ratios.push((filtered.log_evidence - data.log_evidence).exp());
    }
    let time = start.elapsed();
    let [mean, sd] = moments(&ratios);
    let error = sd / (SEEDS as f64).sqrt();
    println!("{SEEDS} seeds: mean of exp(error) {mean:.4}, standard error {error:.4}");
    println!(
        "{}",
        per(
            time,
            PARTICLES * data.y.len() * ratios.len(),
            "particle and look"
        )
    );
    check(
        (mean - 1.0).abs() <= 3.0 * error,
        "the estimates are biased",
    )
}
