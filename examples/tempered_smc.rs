//! Tempered sequential Monte Carlo (`examples/inference/src/tempered.rs`): from the prior of the
//! golf model to its posterior, and to its evidence.
//!
//! `cargo run --release --features world --example tempered_smc`, and with `-- --check` it fails
//! where the answers are not those of the grid.

use std::time::Instant;

use greenroom_inference::data;
use greenroom_inference::golf::Golf;
use greenroom_inference::report::{Line, check, moments, per};
use greenroom_inference::tempered::sample;

const PARTICLES: usize = 2_000;
const SEEDS: u64 = 4;

fn main() -> Result<(), greenroom::Error> {
    let data = data::Golf::load();
    let start = Instant::now();
    let runs = (1..=SEEDS).map(|seed| sample(Golf::new(data), PARTICLES, seed));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let time = start.elapsed();
    let evidences: Vec<f64> = runs.iter().map(|run| run.log_evidence).collect();
    let [evidence, spread] = moments(&evidences);
    let mean = |coefficient: usize, moment: usize| {
        let values = runs.iter().map(|run| run.moments[coefficient][moment]);
        values.sum::<f64>() / runs.len() as f64
    };
    let lines = [
        ("log evidence", evidence, data.log_evidence, 0.15),
        ("mean of a", mean(0, 0), data.a[0], 0.01),
        ("deviation of a", mean(0, 1), data.a[1], 0.006),
        ("mean of b", mean(1, 0), data.b[0], 0.001),
        ("deviation of b", mean(1, 1), data.b[1], 0.0007),
    ];
    let mut is_close = true;
    for (name, estimate, exact, error) in lines {
        let line = Line {
            name,
            estimate,
            exact,
        };
        println!("{line}");
        is_close &= (estimate - exact).abs() < error;
    }
    println!("{SEEDS} runs, spread of the log evidence {spread:.4}");
    println!("{} temperatures", runs[0].temperatures);
    println!("{}", per(time, runs.len(), "run"));
    check(is_close, "the answers are not those of the grid")
}
