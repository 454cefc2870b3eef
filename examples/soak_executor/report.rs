//! What is printed.

use std::fmt::Write;
use std::time::Duration;

use greenroom::runtime::Metrics;

use super::class::Class;
use super::ledger::{Ledger, Reading};
use super::memory::{Growth, mebibytes};
use super::watchdog::Stall;

/// One line while it runs.
pub struct Line<'a> {
    pub now: Duration,
    pub ended: u64,
    pub live: usize,
    pub resident: Option<u64>,
    pub slowest: &'a Stall,
}

impl Line<'_> {
    pub fn text(&self) -> String {
        let seconds = self.now.as_secs_f64();
        let rate = self.ended as f64 / seconds.max(1.0);
        let mut line = format!(
            "{seconds:5.0} s: {:>11} ended ({rate:.0}/s), {} live",
            self.ended, self.live
        );
        if let Some(resident) = self.resident {
            let _ = write!(line, ", {:.1} MiB", mebibytes(resident));
        }
        let Stall { class, since } = self.slowest;
        let _ = write!(
            line,
            ", slowest: {class:?}, {:.0} s ago",
            since.as_secs_f64()
        );
        line
    }
}

/// A table of all classes.
pub fn table(ledger: &Ledger) -> String {
    let mut table = format!(
        "{:<12} {:>11} {:>11} {:>11} {:>11}\n",
        "work", "begun", "completed", "cancelled", "panicked"
    );
    for class in Class::ALL {
        let Reading { begun, ended, .. } = ledger.read(class);
        let [completed, cancelled, panicked] = ended;
        let _ = writeln!(
            table,
            "{:<12} {begun:>11} {completed:>11} {cancelled:>11} {panicked:>11}",
            format!("{class:?}"),
        );
    }
    table
}

/// All numbers of the runtimes, for who looks into a stall.
pub fn dump(metrics: &[(&'static str, Metrics)]) -> String {
    let mut dump = String::new();
    for (name, metrics) in metrics {
        let _ = writeln!(dump, "{name}: {metrics:#?}");
    }
    dump
}

/// What became of the memory.
pub fn memory(growth: Option<Growth>) -> String {
    match growth {
        Some(growth) => format!("memory: {growth}"),
        None => "memory: not judged, the run was too short".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_ended_and_who_is_slowest() {
        let slowest = Stall {
            class: Class::Echo,
            since: Duration::from_secs(3),
        };
        let line = Line {
            now: Duration::from_secs(20),
            ended: 1_000,
            live: 17,
            resident: Some(3 << 19),
            slowest: &slowest,
        };
        assert_eq!(
            line.text(),
            "   20 s:        1000 ended (50/s), 17 live, 1.5 MiB, slowest: Echo, 3 s ago"
        );
    }

    #[test]
    fn the_table_has_a_row_for_each_class() {
        let ledger = Ledger::new();
        ledger.begin(Class::Timer).complete();
        let table = table(&ledger);
        assert_eq!(table.lines().count(), 1 + Class::ALL.len());
        let row = table.lines().find(|row| row.starts_with("Timer")).unwrap();
        assert_eq!(
            row.split_whitespace().collect::<Vec<_>>()[1..],
            ["1", "1", "0", "0"]
        );
    }
}
