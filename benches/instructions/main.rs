//! How many instructions a message and a spawn take, by callgrind: a number that no other work on
//! the machine changes.
//!
//! ```sh
//! cargo bench --bench instructions              # prints them beside those of `recorded.txt`
//! cargo bench --bench instructions -- --check   # and fails if one takes 5 % more
//! cargo bench --bench instructions -- --record  # writes them there
//! ```
//!
//! It fails also if a message takes more because somebody looks after its actor: supervision,
//! names, groups and monitors add nothing to the way of a message.

mod record;
mod work;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use record::{Counts, Key, Verdict};

const VALGRIND: &str = "valgrind";
/// What is counted is the difference between runs of so many messages, which start and end alike.
const FEW: u64 = 5_000;
const MANY: u64 = 25_000;
/// What may differ between two runs of the same: where asks run inline, turns end by the clock.
const MORE: f64 = 0.02;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [option, kind, messages] = &words[..]
        && option == "--work"
    {
        work::run(kind, messages.parse().expect("a number of messages"));
        return ExitCode::SUCCESS;
    }
    if Command::new(VALGRIND).arg("--version").output().is_err() {
        println!("passed over: no {VALGRIND} here");
        return ExitCode::SUCCESS;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("benches/instructions/recorded.txt");
    let key = Key::of_this_build(folder);
    let counts = Counts(work::KINDS.map(per_message));
    let is_asked = |option| words.iter().any(|word| word == option);
    if is_asked("--record") {
        record::write(&file, &key, counts);
        return ExitCode::SUCCESS;
    }
    let verdict = record::compare(&file, &key, counts);
    let is_alike = watched_alike(counts);
    if (verdict == Verdict::Worse || !is_alike) && is_asked("--check") {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Whether messages to an actor that others look after take as many instructions as those to
/// another.
fn watched_alike(Counts(counts): Counts) -> bool {
    let mut is_alike = true;
    for (kind, plain) in work::KINDS.into_iter().zip(counts) {
        if work::MESSAGES.contains(&kind) {
            let watched = per_message(&format!("{kind}{}", work::WATCHED));
            println!("{kind:<18}{watched:>8.1}  of an actor that is looked after");
            is_alike &= watched <= plain + plain * MORE;
        }
    }
    is_alike
}

/// Instructions of all threads for each message of this kind.
fn per_message(kind: &str) -> f64 {
    let more = instructions(kind, MANY) - instructions(kind, FEW);
    more as f64 / (MANY - FEW) as f64
}

/// Instructions of a process that sends so many messages.
fn instructions(kind: &str, messages: u64) -> i64 {
    let this = env::current_exe().expect("the path of this program");
    let output = Command::new(VALGRIND)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["--work", kind, &messages.to_string()])
        .output()
        .expect("it has just been started");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok());
    collected.unwrap_or_else(|| panic!("callgrind says how many it collected:\n{text}"))
}
