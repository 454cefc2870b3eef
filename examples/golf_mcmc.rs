//! Random-walk Metropolis (`examples/inference/src/metropolis.rs`): each move forks the world at
//! the choice that it moves, and runs the rest of the program from there.
//!
//! `cargo run --release --features world --example golf_mcmc`, and with `-- --check` it fails
//! where the moments are not those of the grid.

use std::time::Instant;

use greenroom_inference::data;
use greenroom_inference::golf::Golf;
use greenroom_inference::metropolis::{Chain, posterior};
use greenroom_inference::report::{Line, check, per};

const WARM: usize = 20_000;
const MOVES: usize = 400_000;
/// About 2.4 standard deviations of each coefficient, the other being given.
const STEPS: [f64; 2] = [0.077, 0.0088];

fn main() -> Result<(), greenroom::Error> {
    let data = data::Golf::load();
    let mut chain = Chain::begin(Golf::new(data), 1, STEPS)?;
    let start = Instant::now();
    let [a, b] = posterior(&mut chain, WARM, MOVES)?;
    let time = start.elapsed();
    let line = |name, estimate, exact| Line {
        name,
        estimate,
        exact,
    };
    println!("{}", line("mean of a", a[0], data.a[0]));
    println!("{}", line("deviation of a", a[1], data.a[1]));
    println!("{}", line("mean of b", b[0], data.b[0]));
    println!("{}", line("deviation of b", b[1], data.b[1]));
    println!("accepted {} of {}", chain.accepted, WARM + MOVES);
    println!("{}", per(time, WARM + MOVES, "move"));
    // The chain's values depend on each other: about a hundredth of the moves counts.
    let is_close = |found: [f64; 2], exact: [f64; 2]| {
        let error = exact[1] / (MOVES as f64 / 100.0).sqrt();
        (found[0] - exact[0]).abs() < 4.0 * error && (found[1] / exact[1] - 1.0).abs() < 0.06
    };
    check(
        is_close(a, data.a) && is_close(b, data.b),
        "the moments are not those of the grid",
    )
}
