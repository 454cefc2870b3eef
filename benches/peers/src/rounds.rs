//! Runs the cells of a comparison, each in a fresh process, round by round.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::Comparison;
use crate::stats::Summary;
use crate::suite::{Suite, Unit};

/// A cell takes about a second; one that takes this long hangs.
const CELL_TIME_MAX: Duration = Duration::from_secs(60);
/// How often a running cell is looked after; seldom, since it has the machine to itself.
const CELL_CHECK_EVERY: Duration = Duration::from_millis(20);

/// What all rounds gave for one cell.
pub struct Outcome {
    pub workload: &'static str,
    pub peer: &'static str,
    pub unit: Unit,
    pub summary: Summary,
}

/// Measures every selected cell `rounds` times; the error says which cell failed, and how.
pub fn measure(suite: &Suite, comparison: &Comparison) -> Result<Vec<Outcome>, String> {
    let cells = selected(suite, comparison);
    let mut values = vec![Vec::new(); cells.len()];
    for round in 0..comparison.rounds {
        for index in order(&cells, round) {
            let (workload, peer, _) = cells[index];
            let number = run_cell(suite.name, workload, peer)
                .map_err(|cause| format!("{}/{workload} of {peer} {cause}", suite.name))?;
            values[index].push(number);
        }
    }
    let outcome = |(&(workload, peer, unit), values): (&CellName, &Vec<f64>)| {
        Some(Outcome {
            workload,
            peer,
            unit,
            summary: Summary::of(values)?,
        })
    };
    Ok(cells.iter().zip(&values).filter_map(outcome).collect())
}

type CellName = (&'static str, &'static str, Unit);

/// The selected cells that exist, workload by workload.
fn selected(suite: &Suite, comparison: &Comparison) -> Vec<CellName> {
    let mut cells = Vec::new();
    for workload in &comparison.workloads {
        for peer in &comparison.peers {
            if let Some(cell) = suite.cell(workload, peer) {
                cells.push((*workload, *peer, cell.unit));
            }
        }
    }
    cells
}

/// Indices of all cells: workload by workload, and within each another peer first every round.
fn order(cells: &[CellName], round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cells.len()).collect();
    for row in order.chunk_by_mut(|left, right| cells[*left].0 == cells[*right].0) {
        let turn = round % row.len();
        row.rotate_left(turn);
    }
    order
}

fn run_cell(suite: &str, workload: &str, peer: &str) -> Result<f64, String> {
    let mut child = start_cell(suite, workload, peer).map_err(unrunnable)?;
    let status = wait(&mut child)?;
    if !status.success() {
        return Err(format!("failed with {status}"));
    }
    let mut text = String::new();
    let mut stdout = child.stdout.take().expect("the child's output is piped");
    stdout.read_to_string(&mut text).map_err(unrunnable)?;
    match text.trim().parse() {
        Ok(number) if f64::is_finite(number) => Ok(number),
        _ => Err(format!("printed {text:?} instead of a number")),
    }
}

fn start_cell(suite: &str, workload: &str, peer: &str) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args([
            "--suite",
            suite,
            "--workload",
            workload,
            "--peer",
            peer,
            "--cell",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
}

fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(unrunnable)? {
            return Ok(status);
        }
        if start.elapsed() > CELL_TIME_MAX {
            child
                .kill()
                .and_then(|()| child.wait())
                .map_err(unrunnable)?;
            return Err(format!("did not end within {CELL_TIME_MAX:?}"));
        }
        thread::sleep(CELL_CHECK_EVERY);
    }
}

fn unrunnable(error: io::Error) -> String {
    format!("could not be run: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_take_turns_in_going_first() {
        let cell = |workload, peer| (workload, peer, Unit::Nanos);
        let cells = [
            cell("ask", "a"),
            cell("ask", "b"),
            cell("ask", "c"),
            cell("tell", "a"),
        ];
        assert_eq!(order(&cells, 0), [0, 1, 2, 3]);
        assert_eq!(order(&cells, 1), [1, 2, 0, 3]);
        assert_eq!(order(&cells, 5), [2, 0, 1, 3]);
    }
}
