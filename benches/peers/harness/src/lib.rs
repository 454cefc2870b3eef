//! Times greenroom beside peers.
//!
//! One run interleaves all peers: a cell is one workload of one peer, measured in a fresh process
//! after a warm-up, and within each round the peers take turns in going first. Compare ratios
//! of one run, never numbers of two.

pub mod args;
pub mod hosts;
pub mod machine;
pub mod recorded;
pub mod remote;
pub mod report;
pub mod rounds;
pub mod stats;
pub mod suite;
pub mod target;

use std::process::ExitCode;

use args::{Command, Comparison, Format};
use suite::Suite;

/// Does what the command line asks for, of these suites; `serve` is the other process of a peer of
/// the suite `remote`.
pub fn run(suites: &[Suite], serve: fn(&str)) -> ExitCode {
    match args::parse(suites, std::env::args().skip(1)) {
        Ok(Command::Help) => println!("{}", args::usage(suites)),
        Ok(Command::Serve { peer, workers }) => {
            machine::set_workers(workers);
            serve(peer);
        }
        Ok(Command::Cell {
            suite,
            workload,
            peer,
            workers,
        }) => {
            machine::set_workers(workers);
            let suite = suites.iter().find(|known| known.name == suite);
            let Some(cell) = suite.and_then(|suite| suite.cell(workload, peer)) else {
                eprintln!("error: `{peer}` has no workload `{workload}`");
                return ExitCode::from(2);
            };
            for figure in cell.run() {
                println!("{figure}");
            }
        }
        Ok(Command::Compare(comparison)) => {
            let suite = suites.iter().find(|suite| suite.name == comparison.suite);
            let suite = suite.expect("the arguments name a suite that exists");
            if let Err(error) = compare(suite, &comparison) {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{}", args::usage(suites));
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn compare(suite: &Suite, comparison: &Comparison) -> Result<(), String> {
    let outcomes = rounds::measure(suite, comparison)?;
    let text = match comparison.format {
        Format::Table => report::table(suite, comparison, &outcomes),
        Format::Markdown => report::markdown(suite, comparison, &outcomes),
        Format::Json => report::json(suite, &outcomes),
    };
    print!("{text}");
    if let Some(file) = &comparison.against {
        let document = std::fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        print!("{}", recorded::compare(suite, &outcomes, &document)?);
    }
    Ok(())
}
