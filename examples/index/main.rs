//! A word index of every text file below a directory.
//!
//! ```sh
//! cargo run --release --example index -- src --query mailbox --query 'spawn*'
//! ```
//!
//! A walk brings files to a pool of [`reader`]s, and waits while their mailboxes are full. Readers
//! send each file's words to the [`shard`]s that hold them, and what became of the file to the
//! [`journal`]. A look-up asks all shards at once.
//!
//! ```text
//! walk ── read(file) ──▶ Reader × N ── add(batch) ──▶ Shard × M ◀── find(word) ── look-up
//!   └──── remark(..) ──▶ Journal ◀── enter(..) ──┘
//! ```

#![allow(unreachable_pub, reason = "this reads as it would in a library")]

mod arguments;
mod batch;
mod console;
mod excerpt;
mod failure;
mod feed;
mod file;
mod index;
mod journal;
mod limits;
mod postings;
mod query;
mod reader;
mod remark;
mod report;
mod session;
mod shard;
mod walk;
mod words;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Command, USAGE};
use console::Console;
use failure::Failure;
use session::Session;
use walk::Walk;

type BoxError = Box<dyn Error + Send + Sync>;

#[greenroom::main]
async fn main() -> ExitCode {
    match run(std::env::args_os().skip(1), Console::standard()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            // That nobody reads it is no reason to panic.
            let _ = writeln!(io::stderr(), "index: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

async fn run(
    arguments: impl IntoIterator<Item = OsString>,
    mut console: Console,
) -> Result<(), Failure> {
    let Command::Index(arguments) = Command::parse(arguments)? else {
        return Ok(console.print(USAGE)?);
    };
    let dir = &arguments.dir;
    let walk = Walk::new(&arguments.dir, &arguments.limits)
        .map_err(|error| Failure::Usage(format!("cannot read the directory {dir:?}: {error}")))?;
    let mut session = Session::new(&arguments, console);
    let built = session.build(walk).await?;
    match built.files {
        0 if built.ended_early => return Err(Failure::Interrupted),
        0 => {
            return Err(Failure::Usage(format!(
                "there is no text file below {dir:?}"
            )));
        }
        _ => {}
    }
    Ok(session.serve(&arguments.queries).await?)
}
