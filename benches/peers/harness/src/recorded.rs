//! Ratios that a document has, to compare with.

use std::collections::HashMap;

use crate::report::JUDGED;
use crate::rounds::Outcome;
use crate::suite::Suite;

/// A ratio beyond this many times the recorded one is worth a look.
const BEYOND: f64 = 2.0;
/// What a recorded ratio may have lost to its two decimals.
const ROUNDED: f64 = 0.005;

/// The ratio of each row in the tables of a document: those that name it in their first column,
/// in backquotes, and have a column `greenroom/…`. The first number there is the ratio.
fn ratios(markdown: &str) -> HashMap<&str, f64> {
    let own = format!("{JUDGED}/");
    let mut column = None;
    let mut ratios = HashMap::new();
    for line in markdown.lines() {
        if !line.starts_with('|') {
            column = None;
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let heading = cells.iter().position(|cell| cell.starts_with(&own));
        column = heading.or(column);
        let name = cells[1].split('`').nth(1);
        let ratio = column.and_then(|column| number(cells.get(column)?));
        if let (Some(name), Some(ratio)) = (name, ratio) {
            ratios.insert(name, ratio);
        }
    }
    ratios
}

fn number(cell: &str) -> Option<f64> {
    cell.split_whitespace().next()?.parse().ok()
}

/// A line for each ratio beyond what the document says, and one that sums up; the error says that
/// there is nothing to compare.
pub fn compare(suite: &Suite, outcomes: &[Outcome], markdown: &str) -> Result<String, String> {
    let recorded = ratios(markdown);
    let mut text = String::new();
    let (mut compared, mut beyond) = (0, 0);
    for own in outcomes.iter().filter(|one| one.peer == JUDGED) {
        let Some((ratio, recorded)) = suite
            .ratio(outcomes, own)
            .zip(recorded.get(own.row.as_str()))
        else {
            continue;
        };
        compared += 1;
        if ratio.median > (recorded + ROUNDED) * BEYOND {
            beyond += 1;
            text += &format!(
                "{}: {:.2} of {}, recorded as {recorded:.2}\n",
                own.row, ratio.median, suite.base
            );
        }
    }
    if compared == 0 {
        return Err("no ratio that was measured is in the document".to_owned());
    }
    text += &format!(
        "{compared} ratios compared with those recorded: {beyond} beyond {BEYOND} times them\n"
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Summary;
    use crate::suite::Unit;

    const DOCUMENT: &str = "\
| row | unit | greenroom/raw | must |
| --- | --- | --- | --- |
| `ask`: one task | ns | 0.30 [0.20, 0.40] | ≤ 0.50× |
| `tell` | ns | - | |

| row | ns |
| --- | --- |
| `other` | 7 |
";

    fn actors() -> Suite {
        Suite {
            name: "actors",
            columns: Vec::new(),
            base: "raw",
            targets: &[],
            relations: Vec::new(),
        }
    }

    fn outcome(row: &str, peer: &'static str, value: f64) -> Outcome {
        Outcome {
            row: row.to_owned(),
            peer,
            unit: Unit::Nanos,
            values: vec![value],
            summary: Summary::of(&[value]).unwrap(),
        }
    }

    fn compare_ask(nanos: f64) -> Result<String, String> {
        let suite = actors();
        let outcomes = [
            outcome("ask", "greenroom", nanos),
            outcome("ask", "raw", 100.0),
        ];
        compare(&suite, &outcomes, DOCUMENT)
    }

    #[test]
    fn ratios_are_read_from_the_tables_that_have_them() {
        assert_eq!(ratios(DOCUMENT), HashMap::from([("ask", 0.3)]));
    }

    #[test]
    fn only_a_ratio_beyond_twice_the_recorded_one_is_named() {
        let alike = "1 ratios compared with those recorded: 0 beyond 2 times them\n";
        assert_eq!(compare_ask(60.0).unwrap(), alike);
        let beyond = compare_ask(62.0).unwrap();
        assert!(
            beyond.starts_with("ask: 0.62 of raw, recorded as 0.30\n"),
            "{beyond}"
        );
    }

    #[test]
    fn a_document_without_ratios_is_refused() {
        let suite = actors();
        let outcomes = [outcome("ask", "greenroom", 1.0), outcome("ask", "raw", 1.0)];
        assert!(compare(&suite, &outcomes, "| `ask` | 0.3 |").is_err());
    }
}
