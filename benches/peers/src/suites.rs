//! The suites. A later one adds a function here and its cells.

use greenroom_peers_harness::remote;
use greenroom_peers_harness::suite::Suite;

use crate::executor;
use crate::peers;
use crate::scale;
use crate::workloads;
use crate::worlds;

/// Every suite, in the order in which they are listed.
pub fn all() -> Vec<Suite> {
    vec![
        actors(),
        executor::suite(),
        scale::suite(),
        worlds::suite(),
        remote::suite(),
    ]
}

fn actors() -> Suite {
    let columns = vec![
        workloads::column::<peers::Greenroom>(),
        workloads::column::<peers::Raw>(),
        workloads::column::<peers::ByTachyonix>(),
        workloads::column::<peers::Kameo>(),
        workloads::column::<peers::Ractor>(),
        workloads::column::<peers::Actix>(),
        workloads::column::<peers::Xtra>(),
    ];
    Suite {
        name: "actors",
        columns,
        base: "raw",
        targets: workloads::TARGETS,
        relations: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use greenroom_peers_harness::suite::Cell;

    use super::*;

    #[test]
    fn no_suite_has_a_peer_or_a_workload_twice() {
        for suite in all() {
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
    fn every_target_is_of_a_row_and_every_base_is_a_peer() {
        for suite in all() {
            assert!(suite.peers().contains(&suite.base), "{}", suite.name);
            let cells = suite.columns.iter().flat_map(|column| &column.cells);
            let rows: Vec<_> = cells.flat_map(Cell::rows).map(|(name, _)| name).collect();
            for target in suite.targets {
                assert!(rows.iter().any(|row| row == target.row), "{target:?}");
            }
            for relation in &suite.relations {
                assert!(suite.peers().contains(&relation.to.0), "{relation:?}");
                for name in [relation.row, relation.to.1] {
                    assert!(rows.iter().any(|row| row == name), "{relation:?}");
                }
            }
        }
    }

    #[test]
    fn every_listed_workload_is_a_cell_of_some_peer() {
        for suite in all() {
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
