//! The data sets of `examples/data`, whose README says where they are from.

use std::str::FromStr;

const RANDOM_WALK: &str = include_str!("../../data/random_walk.json");
const GOLF: &str = include_str!("../../data/golf.json");

/// The numbers of the first array, or the first number, after a key.
fn numbers(text: &str, key: &str) -> Vec<f64> {
    let from = text.split_once(&format!("\"{key}\":"));
    let value = from.map_or("", |(_, value)| value.trim_start());
    let value = match value.strip_prefix('[') {
        Some(list) => list.split(']').next().unwrap_or(""),
        None => value.split(['}', '\n']).next().unwrap_or(""),
    };
    let words = value
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.filter_map(|word| f64::from_str(word).ok()).collect()
}

/// 300 noisy looks at a random walk.
#[derive(Debug)]
pub struct RandomWalk {
    /// What was seen.
    pub y: &'static [f64],
    /// Its logarithm.
    pub log_evidence: f64,
}

impl RandomWalk {
    /// Reads them.
    #[must_use]
    pub fn load() -> Self {
        Self {
            y: numbers(RANDOM_WALK, "y").leak(),
            log_evidence: numbers(RANDOM_WALK, "log_evidence")[0],
        }
    }
}

/// Golf putts by distance: how many were tried, and how many went in.
#[derive(Debug)]
pub struct Golf {
    /// The distances in feet.
    pub x: &'static [f64],
    /// How many were tried.
    pub n: &'static [f64],
    /// How many went in.
    pub y: &'static [f64],
    /// Mean and standard deviation.
    pub a: [f64; 2],
    /// Mean and standard deviation.
    pub b: [f64; 2],
    /// Its logarithm.
    pub log_evidence: f64,
}

impl Golf {
    /// Reads them.
    #[must_use]
    pub fn load() -> &'static Self {
        let moments = |key| {
            let exact = GOLF.split_once("\"exact\":").map_or("", |(_, exact)| exact);
            let moments = numbers(exact, key);
            [moments[0], moments[1]]
        };
        Box::leak(Box::new(Self {
            x: numbers(GOLF, "x").leak(),
            n: numbers(GOLF, "n").leak(),
            y: numbers(GOLF, "y").leak(),
            a: moments("a"),
            b: moments("b"),
            log_evidence: numbers(GOLF, "log_evidence")[0],
        }))
    }
}
