//! Suites: what can be measured, of whom. A later suite adds a function here and its cells.

use crate::executor;
use crate::peers;
use crate::target::Target;
use crate::workloads;

/// What a cell's number counts; lower is better for each but a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Nanos,
    Millis,
    Bytes,
    Share,
    Count,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Millis => "ms",
            Self::Bytes => "B",
            Self::Share => "share",
            Self::Count => "count",
        }
    }
}

/// One workload of one peer. `run` measures once; it expects a process of its own.
#[derive(Clone, Copy)]
pub struct Cell {
    pub workload: &'static str,
    pub unit: Unit,
    pub run: fn() -> f64,
    /// A program that it starts; where that is absent, the cell is passed over.
    pub needs: Option<&'static str>,
}

/// The cells of one peer; a workload that it cannot do is left out.
pub struct Column {
    pub peer: &'static str,
    pub cells: Vec<Cell>,
}

/// Columns that are measured and printed together.
pub struct Suite {
    pub name: &'static str,
    pub columns: Vec<Column>,
    /// The peer that ratios refer to.
    pub base: &'static str,
    /// What greenroom must reach; none for a suite that only compares.
    pub targets: &'static [Target],
}

impl Suite {
    /// Every suite, in the order in which they are listed.
    pub fn all() -> Vec<Self> {
        vec![actors(), executor::suite()]
    }

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

    pub fn cell(&self, workload: &str, peer: &str) -> Option<Cell> {
        let column = self.columns.iter().find(|column| column.peer == peer)?;
        column
            .cells
            .iter()
            .find(|cell| cell.workload == workload)
            .copied()
    }
}

fn actors() -> Suite {
    let columns = vec![
        workloads::column::<peers::Greenroom>(),
        workloads::column::<peers::Raw>(),
        workloads::column::<peers::Kameo>(),
    ];
    Suite {
        name: "actors",
        columns,
        base: "raw",
        targets: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_suite_has_a_peer_or_a_workload_twice() {
        for suite in Suite::all() {
            let mut peers = suite.peers();
            peers.sort();
            peers.dedup();
            assert_eq!(peers.len(), suite.columns.len());
            for column in &suite.columns {
                let mut names: Vec<_> = column.cells.iter().map(|cell| cell.workload).collect();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), column.cells.len(), "{}", column.peer);
            }
        }
    }

    #[test]
    fn every_target_is_of_a_workload_and_every_base_is_a_peer() {
        for suite in Suite::all() {
            assert!(suite.peers().contains(&suite.base), "{}", suite.name);
            for target in suite.targets {
                assert!(suite.workloads().contains(&target.workload), "{target:?}");
            }
        }
    }

    #[test]
    fn every_listed_workload_is_a_cell_of_some_peer() {
        for suite in Suite::all() {
            for workload in suite.workloads() {
                assert!(
                    suite
                        .peers()
                        .iter()
                        .any(|peer| suite.cell(workload, peer).is_some())
                );
            }
        }
    }
}
