//! What an example prints about an estimate.

use std::fmt;
use std::time::Duration;

use greenroom::Error;

/// An estimate beside what it should be.
#[derive(Debug)]
pub struct Line {
    /// Of what.
    pub name: &'static str,
    /// What was found.
    pub estimate: f64,
    /// What it should be.
    pub exact: f64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            estimate,
            exact,
        } = self;
        let error = estimate - exact;
        write!(
            f,
            "{name:<24} {estimate:>13.6} exact {exact:>13.6} error {error:>10.6}"
        )
    }
}

/// A time and what it was for.
#[must_use]
pub fn per(time: Duration, count: usize, what: &str) -> String {
    let nanoseconds = time.as_secs_f64() * 1e9 / count as f64;
    format!("{time:.1?}, {nanoseconds:.1} ns per {what}")
}

/// Whether the example is to fail where it is wrong: with `--check`.
#[must_use]
pub fn is_checked() -> bool {
    std::env::args().any(|argument| argument == "--check")
}

/// An error with this text, if the example is checked and it is not so.
///
/// # Errors
///
/// Then.
pub fn check(is_so: bool, otherwise: &'static str) -> Result<(), Error> {
    if is_so || !is_checked() {
        return Ok(());
    }
    Err(std::io::Error::other(otherwise).into())
}

/// Mean and standard deviation.
#[must_use]
pub fn moments(values: &[f64]) -> [f64; 2] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    [mean, (squares / (count - 1.0)).sqrt()]
}
