//! Prints what was measured, for people and for programs.

use std::fmt::Write;

use crate::args::Comparison;
use crate::rounds::Outcome;
use crate::stats::Paired;
use crate::suite::{Relation, Suite};
use crate::target::{Must, Target};

/// The peer that targets are of.
pub const JUDGED: &str = "greenroom";
/// One JSON object a line. Names hold nothing that JSON would have to escape.
pub fn json(suite: &Suite, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let (suite_name, row_name, peer) = (suite.name, &outcome.row, outcome.peer);
        let (unit, summary) = (outcome.unit.name(), outcome.summary);
        let [min, median, max] = [summary.min, summary.median, summary.max].map(number);
        let rounds = summary.rounds;
        let _ = write!(
            text,
            "{{\"suite\":\"{suite_name}\",\"row\":\"{row_name}\",\"peer\":\"{peer}\",\
             \"unit\":\"{unit}\",\"min\":{min},\"median\":{median},\"max\":{max},\
             \"rounds\":{rounds}"
        );
        if peer != suite.base
            && let Some(ratio) = suite.ratio(outcomes, outcome)
        {
            let _ = write!(text, ",\"ratio\":{:.3}", ratio.median);
            if let Some((low, high)) = ratio.interval {
                let _ = write!(text, ",\"ratio_low\":{low:.3},\"ratio_high\":{high:.3}");
            }
        }
        text.push_str("}\n");
    }
    text
}

/// A row per figure; per peer its median and, in brackets, the ratio to the base. A suite with
/// targets has their columns, too.
pub fn table(suite: &Suite, comparison: &Comparison, outcomes: &[Outcome]) -> String {
    let rows = rows(suite, comparison, outcomes);
    let mut text = align(&rows);
    let (rounds, base) = (comparison.rounds, suite.base);
    let _ = writeln!(
        text,
        "\nmedian of {rounds} rounds (ratio to {base}); lower is better, but per second"
    );
    if is_judged(suite, comparison) {
        text.push_str(&relations(suite, outcomes));
        let _ = writeln!(
            text,
            "{JUDGED}/{base}: median of the ratios within each round, and the interval that holds \
             it with 95 % (order statistics)"
        );
    }
    text
}

/// A line for each relation that both rows of are there of.
fn relations(suite: &Suite, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for Relation { row, to, must } in &suite.relations {
        let of = |peer: &str, row: &str| {
            let mut outcomes = outcomes.iter();
            outcomes.find(|one| one.peer == peer && one.row == row)
        };
        let (Some(own), Some(other)) = (of(JUDGED, row), of(to.0, to.1)) else {
            continue;
        };
        let Some(pairs) = Paired::of(&own.values, &other.values) else {
            continue;
        };
        let target = Target::new(row, *must);
        let verdict = target.judge(&own.summary, Some(&other.summary), Some(&pairs));
        let (ratio, must, verdict) = (pairs.median, must.text(), verdict.text());
        let (peer, to) = *to;
        let _ = writeln!(
            text,
            "- `{row}` of {JUDGED} is {ratio:.2} × `{to}` of {peer}, must be {must}: {verdict}"
        );
    }
    text
}

/// The same rows, for a document.
pub fn markdown(suite: &Suite, comparison: &Comparison, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for (index, mut row) in rows(suite, comparison, outcomes).into_iter().enumerate() {
        if index > 0 {
            row[0] = format!("`{}`", row[0]);
        }
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if index == 0 {
            let _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
        }
    }
    let relations = relations(suite, outcomes);
    if !relations.is_empty() {
        let _ = write!(text, "\n{relations}");
    }
    text
}

fn is_judged(suite: &Suite, comparison: &Comparison) -> bool {
    !suite.targets.is_empty() && comparison.peers.contains(&JUDGED)
}

/// The heading, and a row for each name.
fn rows(suite: &Suite, comparison: &Comparison, outcomes: &[Outcome]) -> Vec<Vec<String>> {
    let is_judged = is_judged(suite, comparison);
    let mut rows = vec![heading(suite, comparison, is_judged)];
    for name in names(outcomes) {
        let row: Vec<_> = outcomes.iter().filter(|one| one.row == name).collect();
        let mut cells = cells(suite, name, comparison, &row);
        if is_judged {
            cells.extend(judgement(suite, name, outcomes));
        }
        rows.push(cells);
    }
    rows
}

/// The names of all rows, each once.
fn names(outcomes: &[Outcome]) -> Vec<&str> {
    let mut names = Vec::new();
    for outcome in outcomes {
        if !names.contains(&outcome.row.as_str()) {
            names.push(&outcome.row);
        }
    }
    names
}

fn heading(suite: &Suite, comparison: &Comparison, is_judged: bool) -> Vec<String> {
    let names = ["row", "unit"].into_iter();
    let names = names.chain(comparison.peers.iter().copied());
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    if is_judged {
        names.push(format!("{JUDGED}/{}", suite.base));
        names.extend(["must", "aim", "verdict"].map(str::to_owned));
    }
    names
}

/// Of a row that has outcomes.
fn cells(suite: &Suite, name: &str, comparison: &Comparison, row: &[&Outcome]) -> Vec<String> {
    let base = row.iter().find(|one| suite.is_base(one));
    let base = base.map(|base| base.summary.median);
    let mut cells = vec![name.to_owned(), row[0].unit.name().to_owned()];
    for peer in &comparison.peers {
        let outcome = row.iter().find(|one| one.peer == *peer);
        let median = outcome.map(|one| one.summary.median);
        cells.push(match (median, base) {
            (None, _) => "-".to_owned(),
            (Some(value), Some(base)) => format!("{} ({:.2})", number(value), value / base),
            (Some(value), None) => number(value),
        });
    }
    cells
}

/// The ratio with its interval, what it must be, what it aims at, and whether it is.
fn judgement(suite: &Suite, name: &str, outcomes: &[Outcome]) -> [String; 4] {
    let of_peer = |peer| {
        let mut outcomes = outcomes.iter();
        outcomes.find(|one| one.row == name && one.peer == peer)
    };
    let own = of_peer(JUDGED);
    let ratio = own.and_then(|own| suite.ratio(outcomes, own));
    let target = suite.targets.iter().find(|one| one.row == name);
    let aim = target.and_then(|target| target.aim);
    let verdict = own.zip(target).map(|(own, target)| {
        let base = of_peer(suite.base).map(|base| &base.summary);
        target.judge(&own.summary, base, ratio.as_ref())
    });
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        or_dash(ratio.map(|ratio| match ratio.interval {
            Some((low, high)) => format!("{:.2} [{low:.2}, {high:.2}]", ratio.median),
            None => format!("{:.2}", ratio.median),
        })),
        or_dash(target.map(|target| target.must.text())),
        or_dash(aim.map(Must::text)),
        or_dash(verdict.map(|verdict| verdict.text().to_owned())),
    ]
}

/// Three digits or more, and no more decimals than help to read.
fn number(value: f64) -> String {
    let decimals = if value >= 100.0 { 0 } else { 2 };
    format!("{value:.decimals$}")
}

fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let length = |cell: &String| cell.chars().count();
    let width = |column: usize| rows.iter().map(|row| length(&row[column])).max();
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
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
    use crate::args::Format;
    use crate::stats::Summary;
    use crate::suite::Unit;

    fn outcome(row: &str, peer: &'static str, values: &[f64]) -> Outcome {
        Outcome {
            row: row.to_owned(),
            peer,
            unit: Unit::Nanos,
            values: values.to_vec(),
            summary: Summary::of(values).unwrap(),
        }
    }

    fn suite() -> Suite {
        Suite {
            name: "actors",
            columns: Vec::new(),
            base: "raw",
            targets: &[],
            relations: Vec::new(),
        }
    }

    fn comparison() -> Comparison {
        Comparison {
            suite: "actors",
            workloads: vec!["ask", "tell"],
            peers: vec!["raw", "kameo"],
            rounds: 1,
            workers: 2,
            format: Format::Table,
            against: None,
        }
    }

    #[test]
    fn json_has_one_object_a_line() {
        let text = json(&suite(), &[outcome("ask", "raw", &[120.4, 99.126, 130.0])]);
        assert_eq!(
            text,
            "{\"suite\":\"actors\",\"row\":\"ask\",\"peer\":\"raw\",\"unit\":\"ns\",\
             \"min\":99.13,\"median\":120,\"max\":130,\"rounds\":3}\n"
        );
    }

    #[test]
    fn a_table_gives_ratios_to_the_base() {
        let text = table(
            &suite(),
            &comparison(),
            &[
                outcome("ask", "raw", &[200.0]),
                outcome("ask", "kameo", &[300.0]),
            ],
        );
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "row  unit         raw       kameo");
        assert_eq!(lines[1], "ask  ns    200 (1.00)  300 (1.50)");
    }

    #[test]
    fn a_document_has_the_same_rows() {
        let text = markdown(&suite(), &comparison(), &[outcome("ask", "raw", &[200.0])]);
        let lines = [
            "| row | unit | raw | kameo |",
            "| --- | --- | --- | --- |",
            "| `ask` | ns | 200 (1.00) | - |",
        ];
        assert_eq!(text, lines.join("\n") + "\n");
    }

    #[test]
    fn a_cell_that_a_peer_lacks_is_a_dash_and_without_the_base_there_are_no_ratios() {
        let text = table(&suite(), &comparison(), &[outcome("tell", "kameo", &[3.0])]);
        assert!(text.lines().nth(1).unwrap().ends_with("-   3.00"), "{text}");
    }

    #[test]
    fn a_base_of_zero_gives_no_ratio() {
        let text = table(
            &suite(),
            &comparison(),
            &[
                outcome("ask", "raw", &[0.0]),
                outcome("ask", "kameo", &[2.0]),
            ],
        );
        assert!(text.lines().nth(1).unwrap().ends_with("2.00"), "{text}");
    }

    #[test]
    fn json_has_the_ratio_to_the_base_and_its_interval() {
        let raw = outcome("ask", "raw", &[100.0; 6]);
        let kameo = outcome("ask", "kameo", &[100.0, 110.0, 120.0, 130.0, 140.0, 150.0]);
        let text = json(&suite(), &[raw, kameo]);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with("\"rounds\":6}"), "{text}");
        let ratio = "\"ratio\":1.250,\"ratio_low\":1.000,\"ratio_high\":1.500}";
        assert!(lines[1].ends_with(ratio), "{text}");
    }

    #[test]
    fn a_suite_with_targets_says_which_are_met() {
        const TARGETS: &[Target] = &[
            Target::new("ask", Must::Ratio(0.7)),
            Target::new("tell", Must::Ratio(1.4)).aiming_at(Must::Ratio(1.0)),
        ];
        let suite = Suite {
            targets: TARGETS,
            relations: Vec::new(),
            ..suite()
        };
        let comparison = Comparison {
            peers: vec!["greenroom", "raw"],
            ..comparison()
        };
        let outcomes = [
            outcome("ask", "greenroom", &[80.0; 6]),
            outcome("ask", "raw", &[100.0; 6]),
            outcome("tell", "greenroom", &[120.0]),
            outcome("tell", "raw", &[100.0]),
        ];
        let text = table(&suite, &comparison, &outcomes);
        let words = |line: usize| -> Vec<_> {
            let line = text.lines().nth(line).unwrap();
            line.split("  ")
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .collect()
        };
        assert_eq!(words(0)[4..], ["greenroom/raw", "must", "aim", "verdict"]);
        assert_eq!(words(1)[4..], ["0.80 [0.80, 0.80]", "≤ 0.70×", "-", "MISS"]);
        assert_eq!(
            words(2)[4..],
            ["1.20", "≤ 1.40×", "≤ 1.00×", "PASS, not the aim"]
        );
    }
}
