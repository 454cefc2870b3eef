//! What is printed: a line while the index is made, hits, and the summary at the end.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use greenroom::runtime;
use hdrhistogram::Histogram;

use super::feed::Fed;
use super::journal::Progress;
use super::limits::Limits;
use super::remark::Remarks;
use super::shard::Census;

/// The longest time that is told from longer ones.
const LATENCY_MAX: Duration = Duration::from_secs(60);

/// How long asks took.
pub struct Latency(Histogram<u64>);

/// One line on stderr: redrawn in place on a terminal, printed now and then elsewhere.
pub struct ProgressLine {
    is_terminal: bool,
    start: Instant,
    printed: Instant,
}

/// All that there is to say at the end.
pub struct Summary {
    pub took: Duration,
    pub fed: Fed,
    pub progress: Progress,
    pub census: Census,
    pub limits: Limits,
    pub remarks: Remarks,
    pub asks_while_indexing: Latency,
    pub look_ups: Latency,
    pub metrics: runtime::Metrics,
}

impl Latency {
    pub fn new() -> Self {
        let most = LATENCY_MAX.as_nanos() as u64;
        Latency(Histogram::new_with_max(most, 3).expect("the histogram's range is a valid one"))
    }

    pub fn record(&mut self, took: Duration) {
        self.0.saturating_record(took.as_nanos() as u64);
    }

    pub fn asks(&self) -> u64 {
        self.0.len()
    }
}

impl Display for Latency {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let at = |quantile| Duration::from_nanos(self.0.value_at_quantile(quantile));
        let (p50, p99) = (at(0.50), at(0.99));
        write!(f, "{}, P50 {p50:.1?}, P99 {p99:.1?}", Grouped(self.0.len()))
    }
}

impl ProgressLine {
    const EVERY: Duration = Duration::from_secs(10);

    pub fn new() -> Self {
        let now = Instant::now();
        ProgressLine {
            is_terminal: io::stderr().is_terminal(),
            start: now,
            printed: now,
        }
    }

    /// Shows where the work is. That nobody can see it is no error.
    pub fn draw(&mut self, progress: &Progress) {
        let (files, words) = (Grouped(progress.files), Grouped(progress.words));
        let (bytes, took) = (Megabytes(progress.bytes), self.start.elapsed());
        let line = format!("{files} files, {bytes}, {words} words in {took:.1?}");
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        } else if self.printed.elapsed() >= Self::EVERY {
            self.printed = Instant::now();
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// Leaves the line empty for what comes next.
    pub fn clear(self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Summary {
    fn messages(&self) -> u64 {
        let asks = self.asks_while_indexing.asks() + self.look_ups.asks();
        self.fed.files + self.census.batches + self.progress.entries + asks
    }

    fn per_second(&self, number: u64) -> u64 {
        (number as f64 / self.took.as_secs_f64()) as u64
    }

    fn index(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let files = Counted(self.progress.files, "file");
        let bytes = Megabytes(self.progress.bytes);
        let rate = Megabytes(self.per_second(self.progress.bytes));
        let words = Counted(self.progress.words, "word");
        let distinct = Grouped(self.census.words);
        let positions = Counted(self.census.positions, "position");
        row(f, "indexed", format!("{files}, {bytes} ({rate}/s)"))?;
        row(f, "words", format!("{words}, {distinct} of them distinct"))?;
        row(f, "kept", positions)?;
        for (left_out, noun, limit, unit) in self.left_out() {
            if left_out > 0 {
                let (left_out, limit) = (Counted(left_out, noun), Grouped(limit as u64));
                row(f, "left out", format!("{left_out} beyond {limit} {unit}"))?;
            }
        }
        Ok(())
    }

    fn left_out(&self) -> [(u64, &'static str, usize, &'static str); 3] {
        let (limits, census) = (&self.limits, &self.census);
        let per_word = limits.positions_per_word;
        [
            (census.beyond_word, "position", per_word, "per word"),
            (census.beyond_total, "position", limits.positions, "in all"),
            (census.beyond_words, "word", limits.words, "distinct ones"),
        ]
    }

    fn traffic(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let messages = Grouped(self.messages());
        let rate = Grouped(self.per_second(self.messages()));
        row(f, "messages", format!("{messages}, {rate} per second"))?;
        self.walk(f)?;
        row(
            f,
            "asks",
            format!("{} while indexing", self.asks_while_indexing),
        )?;
        row(f, "", format!("{} at look-ups", self.look_ups))
    }

    fn walk(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.fed.waits == 0 {
            return row(f, "walk", "never waited for a free slot");
        }
        let waits = Counted(self.fed.waits, "time");
        let (sum, most) = (self.fed.waited, self.fed.waited_longest);
        let times = format!("{sum:.1?} in all, {most:.1?} at most");
        row(
            f,
            "walk",
            format!("waited {waits} for a free slot, {times}"),
        )
    }

    fn process(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match memory_peak() {
            Some(bytes) => row(f, "memory", format!("{} at most", Megabytes(bytes)))?,
            None => row(f, "memory", "unknown without /proc/self/status")?,
        }
        for (n, worker) in self.metrics.workers.iter().enumerate() {
            let polls = Counted(worker.polls, "poll");
            let steals = Counted(worker.steals, "steal");
            row(f, &format!("worker {n}"), format!("{polls}, {steals}"))?;
        }
        Ok(())
    }

    fn remarks(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (remark, remarked) in self.remarks.iter() {
            row(f, "remark", format!("{} {remark}", Grouped(remarked.count)))?;
            for path in &remarked.first {
                row(f, "", printable(&path.to_string_lossy()))?;
            }
            let more = remarked.count - remarked.first.len() as u64;
            if more > 0 {
                row(f, "", format!("and {} more", Grouped(more)))?;
            }
        }
        Ok(())
    }
}

fn row(f: &mut Formatter<'_>, name: &str, text: impl Display) -> fmt::Result {
    writeln!(f, "{name:<10} {text}")
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let early = if self.fed.ended_early {
            ", ended early"
        } else {
            ""
        };
        row(f, "time", format!("{:.2?} to index{early}", self.took))?;
        self.index(f)?;
        self.traffic(f)?;
        self.process(f)?;
        self.remarks(f)
    }
}

/// A text that may hold anything, fit for a terminal.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect()
}

/// The most memory that this process ever had resident, where the system says so.
fn memory_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// A number with commas between its thousands.
pub struct Grouped(pub u64);

impl Display for Grouped {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (n, digit) in digits.chars().enumerate() {
            if n > 0 && (digits.len() - n).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// So many of something, in the singular if there is one.
pub struct Counted(pub u64, pub &'static str);

impl Display for Counted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Counted(number, noun) = *self;
        write!(
            f,
            "{} {noun}{}",
            Grouped(number),
            if number == 1 { "" } else { "s" }
        )
    }
}

struct Megabytes(u64);

impl Display for Megabytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MB", self.0 as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_by_commas() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000")] {
            assert_eq!(Grouped(number).to_string(), expected);
        }
        assert_eq!(Grouped(1_234_567).to_string(), "1,234,567");
    }

    #[test]
    fn one_of_something_is_in_the_singular() {
        let texts = [0, 1, 2_000].map(|number| Counted(number, "file").to_string());
        assert_eq!(texts, ["0 files", "1 file", "2,000 files"]);
    }

    #[test]
    fn latency_says_how_many_asks_it_speaks_of() {
        let mut latency = Latency::new();
        assert_eq!(latency.to_string(), "none");
        (1..=100).for_each(|n| latency.record(Duration::from_micros(n)));
        let text = latency.to_string();
        assert!(text.starts_with("100, P50 50.0µs, P99 99.0"), "{text}");
    }

    #[test]
    fn what_is_printed_holds_no_control_characters() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\u{FFFD}[2Jb\u{FFFD}");
    }
}
