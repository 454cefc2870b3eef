//! Prints what was measured, for people and for programs.

use std::fmt::Write;

use crate::args::Comparison;
use crate::rounds::Outcome;
use crate::suite::Suite;

/// The peer that ratios refer to.
const BASE: &str = "raw";
/// Counts per operation below this are stray ones, and ratios to them mean nothing.
const BASE_MIN: f64 = 0.01;

/// One JSON object a line. Names hold nothing that JSON would have to escape.
pub fn json(suite: &Suite, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for Outcome {
        workload,
        peer,
        unit,
        summary,
    } in outcomes
    {
        let (suite, unit) = (suite.name, unit.name());
        let (min, median, max) = (
            number(summary.min),
            number(summary.median),
            number(summary.max),
        );
        let rounds = summary.rounds;
        let _ = writeln!(
            text,
            "{{\"suite\":\"{suite}\",\"workload\":\"{workload}\",\"peer\":\"{peer}\",\
             \"unit\":\"{unit}\",\"min\":{min},\"median\":{median},\"max\":{max},\
             \"rounds\":{rounds}}}"
        );
    }
    text
}

/// A row per workload; per peer its median and, in brackets, the ratio to the base.
pub fn table(comparison: &Comparison, outcomes: &[Outcome]) -> String {
    let mut rows = vec![heading(comparison)];
    for workload in &comparison.workloads {
        let row: Vec<_> = outcomes
            .iter()
            .filter(|one| one.workload == *workload)
            .collect();
        rows.extend(cells(workload, comparison, &row));
    }
    let mut text = align(&rows);
    let rounds = comparison.rounds;
    let _ = writeln!(
        text,
        "\nmedian of {rounds} rounds (ratio to {BASE}); lower is better"
    );
    text
}

fn heading(comparison: &Comparison) -> Vec<String> {
    let names = ["workload", "unit"]
        .into_iter()
        .chain(comparison.peers.iter().copied());
    names.map(str::to_owned).collect()
}

fn cells(workload: &str, comparison: &Comparison, row: &[&Outcome]) -> Option<Vec<String>> {
    let unit = row.first()?.unit.name();
    let median = |peer: &str| {
        row.iter()
            .find(|one| one.peer == peer)
            .map(|one| one.summary.median)
    };
    let base = median(BASE).filter(|base| *base >= BASE_MIN);
    let mut cells = vec![workload.to_owned(), unit.to_owned()];
    for peer in &comparison.peers {
        cells.push(match (median(peer), base) {
            (None, _) => "-".to_owned(),
            (Some(value), Some(base)) => format!("{} ({:.2})", number(value), value / base),
            (Some(value), None) => number(value),
        });
    }
    Some(cells)
}

/// Three digits or more, and no more decimals than help to read.
fn number(value: f64) -> String {
    let decimals = if value >= 100.0 { 0 } else { 2 };
    format!("{value:.decimals$}")
}

fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Names to the left, numbers to the right.
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                1 => write!(text, "  {cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Summary;
    use crate::suite::Unit;

    fn outcome(workload: &'static str, peer: &'static str, values: &[f64]) -> Outcome {
        Outcome {
            workload,
            peer,
            unit: Unit::Nanos,
            summary: Summary::of(values).unwrap(),
        }
    }

    fn comparison() -> Comparison {
        Comparison {
            suite: "actors",
            workloads: vec!["ask", "tell"],
            peers: vec!["raw", "kameo"],
            rounds: 1,
            json: false,
        }
    }

    #[test]
    fn json_has_one_object_a_line() {
        let suite = Suite {
            name: "actors",
            columns: Vec::new(),
        };
        let text = json(&suite, &[outcome("ask", "raw", &[120.4, 99.126, 130.0])]);
        assert_eq!(
            text,
            "{\"suite\":\"actors\",\"workload\":\"ask\",\"peer\":\"raw\",\"unit\":\"ns\",\
             \"min\":99.13,\"median\":120,\"max\":130,\"rounds\":3}\n"
        );
    }

    #[test]
    fn a_table_gives_ratios_to_the_base() {
        let text = table(
            &comparison(),
            &[
                outcome("ask", "raw", &[200.0]),
                outcome("ask", "kameo", &[300.0]),
            ],
        );
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "workload  unit         raw       kameo");
        assert_eq!(lines[1], "ask       ns    200 (1.00)  300 (1.50)");
    }

    #[test]
    fn a_cell_that_a_peer_lacks_is_a_dash_and_without_the_base_there_are_no_ratios() {
        let text = table(&comparison(), &[outcome("tell", "kameo", &[3.0])]);
        assert!(text.lines().nth(1).unwrap().ends_with("-   3.00"), "{text}");
    }

    #[test]
    fn a_base_of_zero_gives_no_ratio() {
        let text = table(
            &comparison(),
            &[
                outcome("ask", "raw", &[0.0]),
                outcome("ask", "kameo", &[2.0]),
            ],
        );
        assert!(text.lines().nth(1).unwrap().ends_with("2.00"), "{text}");
    }
}
