//! Runs the cells of a comparison, each in a fresh process, round by round.

use std::env;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::args::Comparison;
use crate::stats::Summary;
use crate::suite::{Cell, Suite, Unit};

/// A cell takes some seconds; one that takes this long hangs.
const CELL_TIME_MAX: Duration = Duration::from_secs(60);
/// How often a running cell is looked after; seldom, since it has the machine to itself.
const CELL_CHECK_EVERY: Duration = Duration::from_millis(20);

/// What all rounds gave for one row of one peer.
pub struct Outcome {
    pub row: String,
    pub peer: &'static str,
    pub unit: Unit,
    /// One for each round.
    pub values: Vec<f64>,
    pub summary: Summary,
}

/// Measures every selected cell `rounds` times; the error says which cell failed, and how.
pub fn measure(suite: &Suite, comparison: &Comparison) -> Result<Vec<Outcome>, String> {
    let cells = runnable(selected(suite, comparison));
    let mut values: Vec<_> = cells
        .iter()
        .map(|(_, cell)| vec![Vec::new(); cell.rows().len()])
        .collect();
    for round in 0..comparison.rounds {
        for index in order(&cells, round) {
            let (peer, cell) = cells[index];
            let figures = run_cell(suite.name, cell, peer, comparison.workers)
                .map_err(|cause| format!("{}/{} of {peer} {cause}", suite.name, cell.workload))?;
            progress(round, comparison.rounds, cell, peer, &figures);
            for (row, figure) in values[index].iter_mut().zip(figures) {
                row.extend(Some(figure).filter(|figure| figure.is_finite()));
            }
        }
    }
    let outcomes = cells.into_iter().zip(values).flat_map(outcomes).collect();
    Ok(outcomes)
}

/// The table comes at the end: until then, what has come so far.
fn progress(round: usize, rounds: usize, cell: Cell, peer: &str, figures: &[f64]) {
    let workload = cell.workload;
    let figures: Vec<_> = figures
        .iter()
        .map(|figure| format!("{figure:.0}"))
        .collect();
    let figures = figures.join(" ");
    eprintln!(
        "round {} of {rounds}: {workload} of {peer}: {figures}",
        round + 1
    );
}

/// One for each row of a cell; none without rounds, or where each is not a number.
fn outcomes(((peer, cell), values): (PeersCell, Vec<Vec<f64>>)) -> Vec<Outcome> {
    let rows = cell.rows().into_iter().zip(values);
    rows.filter_map(|((row, unit), values)| {
        Some(Outcome {
            row,
            peer,
            unit,
            summary: Summary::of(&values)?,
            values,
        })
    })
    .collect()
}

/// A peer, and one of its cells.
type PeersCell = (&'static str, Cell);

/// The selected cells that exist, workload by workload.
fn selected(suite: &Suite, comparison: &Comparison) -> Vec<PeersCell> {
    let mut cells = Vec::new();
    for workload in &comparison.workloads {
        for peer in &comparison.peers {
            if let Some(cell) = suite.cell(workload, peer) {
                cells.push((*peer, cell));
            }
        }
    }
    cells
}

/// Passes over the cells that need what is not there, and says so.
fn runnable(mut cells: Vec<PeersCell>) -> Vec<PeersCell> {
    cells.retain(|(peer, cell)| match cell.needs {
        Some(program) if !is_there(program) => {
            let workload = cell.workload;
            eprintln!("passed over: {workload} of {peer} needs `{program}`, which is not there");
            false
        }
        _ => true,
    });
    cells
}

/// Whether a program can be started.
fn is_there(program: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// Indices of all cells: workload by workload, and within each another peer first every round.
fn order(cells: &[PeersCell], round: usize) -> Vec<usize> {
    let same_row = |left: &PeersCell, right: &PeersCell| left.1.workload == right.1.workload;
    let mut order: Vec<usize> = (0..cells.len()).collect();
    for row in order.chunk_by_mut(|left, right| same_row(&cells[*left], &cells[*right])) {
        let turn = round % row.len();
        row.rotate_left(turn);
    }
    order
}

fn run_cell(suite: &str, cell: Cell, peer: &str, workers: usize) -> Result<Vec<f64>, String> {
    let mut child = start_cell(suite, cell.workload, peer, workers).map_err(unrunnable)?;
    let status = wait(&mut child)?;
    if !status.success() {
        return Err(format!("failed with {status}"));
    }
    let mut text = String::new();
    let mut stdout = child.stdout.take().expect("the child's output is piped");
    stdout.read_to_string(&mut text).map_err(unrunnable)?;
    let figures = text.split_whitespace().map(str::parse);
    match figures.collect::<Result<Vec<f64>, _>>() {
        // Not a number is what could not be measured here.
        Ok(figures)
            if figures.len() == cell.rows().len()
                && !figures.iter().any(|one| one.is_infinite()) =>
        {
            Ok(figures)
        }
        _ => Err(format!("printed {text:?} instead of its figures")),
    }
}

fn start_cell(suite: &str, workload: &str, peer: &str, workers: usize) -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args([
            "--suite",
            suite,
            "--workload",
            workload,
            "--peer",
            peer,
            "--cell",
            "--workers",
        ])
        .arg(workers.to_string())
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
    use crate::suite::Measure;

    #[test]
    fn peers_take_turns_in_going_first() {
        let cell = |workload, peer| {
            let measure = Measure::Figure(Unit::Nanos, || 0.0);
            (peer, Cell::new(workload, measure))
        };
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

    #[test]
    fn a_cell_whose_program_is_absent_is_passed_over() {
        let cell = |needs| Cell {
            needs,
            ..Cell::new("ask", Measure::Figure(Unit::Nanos, || 0.0))
        };
        let cells = vec![
            ("a", cell(None)),
            ("b", cell(Some("no-program-has-this-name"))),
            ("c", cell(Some("sh"))),
        ];
        let left: Vec<_> = runnable(cells).into_iter().map(|(peer, _)| peer).collect();
        assert_eq!(left, ["a", "c"]);
    }
}
