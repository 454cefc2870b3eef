//! All that a mailbox does, at once, with the fate of every message counted.
//!
//! ```sh
//! cargo run --release --example soak_mailbox -- --messages 100000000 --seed 7
//! ```
//!
//! [`sender`]s draw how they send to a few [`sink`]s: tell, try, ask, with a limit, by a
//! reservation, by each overflow policy and lane, or dropped half-way. They are aborted and started
//! anew, and so are the sinks; capacities change. Each message carries a [`token`], which notes
//! what became of it. At the end as many must have met a fate as were made, the runtime's counters
//! must say the same, and the memory be what it was after the first fifth. The exit code says
//! whether that held.

#![allow(unreachable_pub, reason = "this reads as it would in a library")]

mod arguments;
#[path = "../soak_executor/memory.rs"]
mod memory;
#[path = "../soak_executor/rng.rs"]
mod rng;
mod sender;
mod sink;
mod soak;
#[cfg(test)]
mod tests;
mod token;

use std::process::ExitCode;

use arguments::{Arguments, USAGE};

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("soak_mailbox: {error}");
            return ExitCode::from(2);
        }
    };
    match soak::run(&arguments) {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("soak_mailbox: FAILED: {failure}");
            ExitCode::FAILURE
        }
    }
}
