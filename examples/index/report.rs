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

    fn index(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Progress {
            files,
            bytes,
            words,
            ..
        } = self.progress;
        let rate = Megabytes((bytes as f64 / self.took.as_secs_f64()) as u64);
        writeln!(
            f,
            "files      {} indexed, {} ({rate}/s)",
            Grouped(files),
            Megabytes(bytes)
        )?;
        let (words, distinct) = (Grouped(words), Grouped(self.census.words));
        writeln!(f, "words      {words}, {distinct} of them distinct")?;
        writeln!(f, "positions  {} kept", Grouped(self.census.positions))?;
        let Limits {
            positions_per_word,
            positions,
            words,
            ..
        } = self.limits;
        for (left_out, of, limit, unit) in [
            (
                self.census.beyond_word,
                "positions",
                positions_per_word,
                "per word",
            ),
            (self.census.beyond_total, "positions", positions, "in all"),
            (
                self.census.beyond_words,
                "occurrences",
                words,
                "distinct words",
            ),
        ] {
            if left_out > 0 {
                let (left_out, limit) = (Grouped(left_out), Grouped(limit as u64));
                writeln!(
                    f,
                    "           {left_out} {of} left out beyond {limit} {unit}"
                )?;
            }
        }
        Ok(())
    }

    fn traffic(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rate = (self.messages() as f64 / self.took.as_secs_f64()) as u64;
        writeln!(
            f,
            "messages   {}, {} per second",
            Grouped(self.messages()),
            Grouped(rate)
        )?;
        let Fed {
            waits,
            waited,
            waited_longest,
            ..
        } = self.fed;
        write!(
            f,
            "walk       waited {} times for a free slot",
            Grouped(waits)
        )?;
        writeln!(f, ", {waited:.1?} in all, {waited_longest:.1?} at most")?;
        writeln!(f, "asks       while indexing: {}", self.asks_while_indexing)?;
        writeln!(f, "           look-ups: {}", self.look_ups)
    }

    fn process(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match memory_peak() {
            Some(bytes) => writeln!(f, "memory     {} at most", Megabytes(bytes))?,
            None => writeln!(
                f,
                "memory     unknown: this system has no /proc/self/status"
            )?,
        }
        for (n, worker) in self.metrics.workers.iter().enumerate() {
            let (polls, steals) = (worker.polls, worker.steals);
            writeln!(
                f,
                "worker {n:<3} {}, {}",
                Counted(polls, "poll"),
                Counted(steals, "steal")
            )?;
        }
        Ok(())
    }

    fn remarks(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (remark, remarked) in self.remarks.iter() {
            writeln!(f, "{:>10} {remark}", Grouped(remarked.count).to_string())?;
            for path in &remarked.first {
                writeln!(f, "           {}", printable(&path.to_string_lossy()))?;
            }
            let more = remarked.count - remarked.first.len() as u64;
            if more > 0 {
                writeln!(f, "           and {} more", Grouped(more))?;
            }
        }
        Ok(())
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ended = if self.fed.ended_early {
            ", ended early"
        } else {
            ""
        };
        writeln!(f, "time       {:.2?} to index{ended}", self.took)?;
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
