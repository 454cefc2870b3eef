//! A tree of a thousand actors that fail, are killed, stop slowly and are told too much, for a
//! minute of virtual time, for each of so many seeds.
//!
//! ```sh
//! cargo run --release --example soak_chaos -- 1000
//! ```
//!
//! At the end of each, every message must have met one fate, every slot be free, every child be
//! accounted for, every restart be one that the actors' own [`ledger`] explains, every name be its
//! owner's, every group have those alive for members, and nothing be alive at the end. A second
//! number is the first seed. The exit code says whether that held.

#![allow(unreachable_pub, reason = "this reads as it would in a library")]

mod audit;
mod chaos;
mod clerk;
mod ledger;
mod names;
mod rng;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|word| word.parse()).collect();
    let (seeds, first) = match numbers.as_deref() {
        Ok([]) => (20, 1),
        Ok([seeds]) => (*seeds, 1),
        Ok([seeds, first]) => (*seeds, *first),
        _ => {
            eprintln!("usage: soak_chaos [SEEDS [FIRST SEED]]");
            return ExitCode::from(2);
        }
    };
    be_quiet();
    for seed in first..first + seeds {
        match chaos::run(seed) {
            Ok(report) => println!("seed {seed}: {report}"),
            Err(fault) => {
                eprintln!("soak_chaos: seed {seed} FAILED: {fault}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Panics are what this is about: each is seen by a supervisor, and needs no backtrace.
fn be_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload().downcast_ref::<&str>();
        if !text.is_some_and(|text| text.starts_with("a bad ")) {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    #[test]
    fn chaos_of_twenty_seeds_loses_nothing_and_leaves_nothing_alive() {
        super::be_quiet();
        for seed in 1..=20 {
            super::chaos::run(seed).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        }
    }

    #[test]
    fn a_seed_repeats_all_that_happens() {
        super::be_quiet();
        let run = || super::chaos::run(7).unwrap();
        assert_eq!(run(), run());
    }
}
