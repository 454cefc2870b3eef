//! Suites: what can be measured, of whom.

use hdrhistogram::Histogram;

use crate::rounds::Outcome;
use crate::stats::Paired;
use crate::target::{Must, Target};

/// What a cell's number counts; lower is better for each but a share and what is per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Nanos,
    Millis,
    Bytes,
    Share,
    Count,
    PerSecond,
    MegabytesPerSecond,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Millis => "ms",
            Self::Bytes => "B",
            Self::Share => "share",
            Self::Count => "count",
            Self::PerSecond => "/s",
            Self::MegabytesPerSecond => "MB/s",
        }
    }
}

/// One workload of one peer. It is measured in a process of its own, and gives a figure for each
/// of its rows.
#[derive(Clone, Copy)]
pub struct Cell {
    pub workload: &'static str,
    pub measure: Measure,
    /// A program that it starts; where that is absent, the cell is passed over.
    pub needs: Option<&'static str>,
}

#[derive(Clone, Copy)]
pub enum Measure {
    /// A row with the workload's name.
    Figure(Unit, fn() -> f64),
    /// Nanoseconds: a row for each of [`QUANTILES`].
    Latency(fn() -> Histogram<u64>),
    /// The rows that are named.
    Figures(&'static [(&'static str, Unit)], fn() -> Vec<f64>),
}

/// What is read from a distribution, with the end of its row's name.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)];

impl Cell {
    pub fn new(workload: &'static str, measure: Measure) -> Self {
        Self {
            workload,
            measure,
            needs: None,
        }
    }

    /// The names of its rows, with what their figures count.
    pub fn rows(&self) -> Vec<(String, Unit)> {
        match self.measure {
            Measure::Figure(unit, _) => vec![(self.workload.to_owned(), unit)],
            Measure::Latency(_) => QUANTILES
                .iter()
                .map(|(end, _)| (format!("{}_{end}", self.workload), Unit::Nanos))
                .collect(),
            Measure::Figures(rows, _) => rows
                .iter()
                .map(|(name, unit)| ((*name).to_owned(), *unit))
                .collect(),
        }
    }

    /// Measures once: a figure for each row.
    pub fn run(&self) -> Vec<f64> {
        match self.measure {
            Measure::Figure(_, run) => vec![run()],
            Measure::Latency(run) => {
                let latency = run();
                let at = |(_, quantile)| latency.value_at_quantile(quantile) as f64;
                QUANTILES.map(at).to_vec()
            }
            Measure::Figures(_, run) => run(),
        }
    }
}

/// The cells of one peer; a workload that it cannot do is left out.
pub struct Column {
    pub peer: &'static str,
    pub cells: Vec<Cell>,
}

/// Counts per operation below this are stray ones, and ratios to them mean nothing.
const BASE_MIN: f64 = 0.01;

/// Columns that are measured and printed together.
pub struct Suite {
    pub name: &'static str,
    pub columns: Vec<Column>,
    /// The peer that ratios refer to.
    pub base: &'static str,
    /// What greenroom must reach; none for a suite that only compares.
    pub targets: &'static [Target],
    /// What it must reach beside others than the base.
    pub relations: Vec<Relation>,
}

/// What greenroom must reach in a row, beside a row of a peer's that is not the base's.
#[derive(Debug)]
pub struct Relation {
    pub row: &'static str,
    /// The peer, and its row.
    pub to: (&'static str, &'static str),
    pub must: Must,
}

impl Suite {
    pub fn peers(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.peer).collect()
    }

    /// The workloads of all columns, each once, in the order of the first column that has it.
    pub fn workloads(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for cell in self.columns.iter().flat_map(|column| &column.cells) {
            if !names.contains(&cell.workload) {
                names.push(cell.workload);
            }
        }
        names
    }

    /// Whether ratios refer to it: the base, where it is no stray count.
    pub fn is_base(&self, outcome: &Outcome) -> bool {
        outcome.peer == self.base && outcome.summary.median >= BASE_MIN
    }

    /// The ratio of an outcome to the base in the same row, if there is one.
    pub fn ratio(&self, outcomes: &[Outcome], outcome: &Outcome) -> Option<Paired> {
        let mut row = outcomes.iter().filter(|one| one.row == outcome.row);
        let base = row.find(|one| self.is_base(one))?;
        Paired::of(&outcome.values, &base.values)
    }

    pub fn cell(&self, workload: &str, peer: &str) -> Option<Cell> {
        let column = self.columns.iter().find(|column| column.peer == peer)?;
        column
            .cells
            .iter()
            .find(|cell| cell.workload == workload)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_has_a_row_for_each_quantile() {
        let cell = Cell::new("ask", Measure::Latency(one_to_thousand));
        let names: Vec<_> = cell.rows().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["ask_p50", "ask_p99", "ask_p999"]);
        assert_eq!(cell.run(), [500.0, 990.0, 999.0]);
    }

    fn one_to_thousand() -> Histogram<u64> {
        let mut latency = Histogram::new(3).unwrap();
        for nanos in 1..=1_000_u64 {
            latency.record(nanos).unwrap();
        }
        latency
    }
}
