//! The counts of earlier builds, one a line, by what the compiler, the target and tokio were.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::work::KINDS;

/// More than a recorded count by this share is worse.
const WORSE: f64 = 0.05;

/// Instructions for each message or spawn, in the order of [`KINDS`].
#[derive(Clone, Copy)]
pub(crate) struct Counts(pub(crate) [f64; KINDS.len()]);

/// What a count depends on, beside the code.
#[derive(Clone, PartialEq)]
pub(crate) struct Key {
    rustc: String,
    target: String,
    tokio: String,
}

#[derive(PartialEq)]
pub(crate) enum Verdict {
    Alike,
    Worse,
    /// Nothing was recorded for this key.
    Unknown,
}

impl Key {
    pub(crate) fn of_this_build(folder: &Path) -> Self {
        let rustc = Command::new("rustc")
            .arg("-vV")
            .output()
            .expect("the compiler says its version");
        let rustc = String::from_utf8_lossy(&rustc.stdout).into_owned();
        let field = |name| rustc.lines().find_map(|line| line.strip_prefix(name));
        let lock = fs::read_to_string(folder.join("Cargo.lock")).unwrap_or_default();
        let (_, tokio) = lock
            .split_once("name = \"tokio\"\nversion = \"")
            .expect("the lock file has tokio's version");
        Self {
            rustc: field("release: ").unwrap_or("?").to_owned(),
            target: field("host: ").unwrap_or("?").to_owned(),
            tokio: tokio.split('"').next().unwrap_or("?").to_owned(),
        }
    }

    fn parse(words: &[&str]) -> Option<Self> {
        let [rustc, target, tokio] = words.first_chunk::<3>()?.map(str::to_owned);
        Some(Self {
            rustc,
            target,
            tokio,
        })
    }
}

impl Display for Key {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            rustc,
            target,
            tokio,
        } = self;
        write!(formatter, "{rustc} {target} {tokio}")
    }
}

fn read(file: &Path) -> Vec<(Key, Counts)> {
    let text = fs::read_to_string(file).expect("the file of recorded counts");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| parse(line).unwrap_or_else(|| panic!("no record of counts: {line}")))
        .collect()
}

fn parse(line: &str) -> Option<(Key, Counts)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut counts = [0.0; KINDS.len()];
    let numbers = words.get(3..)?;
    if numbers.len() != counts.len() {
        return None;
    }
    for (count, word) in counts.iter_mut().zip(numbers) {
        *count = word.parse().ok()?;
    }
    Some((Key::parse(&words)?, Counts(counts)))
}

/// Prints each count beside the recorded one, or beside the last one of another build.
pub(crate) fn compare(file: &Path, key: &Key, Counts(counts): Counts) -> Verdict {
    let mut records = read(file);
    let same = records.iter().position(|(other, _)| other == key);
    let found = same
        .map(|index| records.swap_remove(index))
        .or(records.pop());
    println!("instructions per message; {key}");
    let Some((other, Counts(recorded))) = found else {
        for (kind, count) in KINDS.iter().zip(counts) {
            println!("{kind:<18}{count:>8.1}");
        }
        return Verdict::Unknown;
    };
    println!("beside those recorded for {other}");
    let mut worst = 0.0_f64;
    for (kind, (count, recorded)) in KINDS.iter().zip(counts.into_iter().zip(recorded)) {
        let more = count / recorded - 1.0;
        worst = worst.max(more);
        println!(
            "{kind:<18}{count:>8.1}{recorded:>8.1}{:>+8.1} %",
            more * 100.0
        );
    }
    match (same, worst > WORSE) {
        (None, _) => {
            println!("not judged: none are recorded for this build");
            Verdict::Unknown
        }
        (Some(_), true) => {
            println!("worse by more than {} %", WORSE * 100.0);
            Verdict::Worse
        }
        (Some(_), false) => Verdict::Alike,
    }
}

/// Puts the counts in the place of those of the same key, or at the end.
pub(crate) fn write(file: &Path, key: &Key, counts: Counts) {
    let mut records = read(file);
    records.retain(|(other, _)| other != key);
    let text = fs::read_to_string(file).expect("the file of recorded counts");
    let head = text.lines().filter(|line| line.starts_with('#'));
    let mut lines: Vec<String> = head.map(str::to_owned).collect();
    for (key, Counts(counts)) in records.iter().chain([&(key.clone(), counts)]) {
        let counts = counts.map(|count| format!("{count:.1}"));
        lines.push(format!("{key} {}", counts.join(" ")));
    }
    lines.push(String::new());
    fs::write(file, lines.join("\n")).expect("the file of recorded counts can be written");
    println!("recorded for {key}: {:.1?}", counts.0);
}
