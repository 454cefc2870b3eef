//! All that the executor does, at once, for as long as one likes, with every end counted.
//!
//! ```sh
//! cargo run --release --example soak_executor -- --seconds 60 --seed 7
//! ```
//!
//! [`works`] spawn from everywhere, abort, panic, sleep, echo, block and end actors, each for a
//! [`class`] of the [`ledger`]. A [`watchdog`] fails the run if a class makes no progress for ten
//! seconds. At the end all that was begun must have ended, no task be alive, and the memory be
//! what it was after the warm-up. The exit code says whether that held.

#![allow(unreachable_pub, reason = "this reads as it would in a library")]

mod arguments;
mod class;
mod crew;
mod fault;
mod ledger;
mod memory;
mod report;
mod rng;
mod soak;
mod stage;
mod watchdog;
mod works;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Command, USAGE};

fn main() -> ExitCode {
    let mut out = io::stdout();
    let arguments = match Command::parse(std::env::args().skip(1)) {
        Ok(Command::Soak(arguments)) => arguments,
        Ok(Command::Help) => {
            let _ = out.write_all(USAGE.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "soak_executor: {error}");
            return ExitCode::from(2);
        }
    };
    match soak::run(&arguments, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "soak_executor: FAILED: {failure}");
            ExitCode::FAILURE
        }
    }
}
