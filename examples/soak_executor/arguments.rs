//! The command line.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

pub const USAGE: &str = "\
usage: soak_executor [options]

  --seconds N    how long new work is begun (default: 600)
  --seed N       draws every choice of the works (default: from the clock)
  --workers N    workers of the runtime that is soaked (default: 4)
  --batch N      tasks that a work has in flight (default: 64)
  --help         this text
";

const SECONDS: RangeInclusive<u64> = 1..=7 * 24 * 3600;
const WORKERS: RangeInclusive<u64> = 1..=64;
const BATCH: RangeInclusive<u64> = 1..=4096;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Soak(Arguments),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    pub length: Duration,
    pub seed: u64,
    pub workers: usize,
    pub batch: usize,
}

/// What is wrong with the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct ArgumentError(String);

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Default for Arguments {
    fn default() -> Self {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self {
            length: Duration::from_secs(600),
            seed: now.as_secs(),
            workers: 4,
            batch: 64,
        }
    }
}

impl Command {
    /// Reads the arguments, without the program's name.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, ArgumentError> {
        let mut rest = arguments.into_iter();
        let mut parsed = Arguments::default();
        while let Some(name) = rest.next() {
            let mut number = |range| number(&name, rest.next(), range);
            match name.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--seconds" => parsed.length = Duration::from_secs(number(SECONDS)?),
                "--seed" => parsed.seed = number(0..=u64::MAX)?,
                "--workers" => parsed.workers = number(WORKERS)? as usize,
                "--batch" => parsed.batch = number(BATCH)? as usize,
                _ => return Err(ArgumentError(format!("no option {name:?}; see --help"))),
            }
        }
        Ok(Self::Soak(parsed))
    }
}

fn number(
    name: &str,
    text: Option<String>,
    range: RangeInclusive<u64>,
) -> Result<u64, ArgumentError> {
    let text = text.ok_or_else(|| ArgumentError(format!("{name} needs a value")))?;
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        ArgumentError(format!(
            "{name} takes a number from {least} to {most}, not {text:?}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, ArgumentError> {
        Command::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn each_option_sets_what_it_names() {
        let Ok(Command::Soak(arguments)) = parse("--seconds 20 --seed 7 --workers 2 --batch 8")
        else {
            panic!("not arguments");
        };
        assert_eq!(arguments.length, Duration::from_secs(20));
        assert_eq!(
            (arguments.seed, arguments.workers, arguments.batch),
            (7, 2, 8)
        );
        assert_eq!(parse("--help"), Ok(Command::Help));
    }

    #[test]
    fn without_options_it_soaks_for_ten_minutes() {
        let Ok(Command::Soak(arguments)) = parse("") else {
            panic!("not arguments");
        };
        assert_eq!(arguments.length, Duration::from_secs(600));
    }

    #[test]
    fn a_bad_argument_is_named_in_the_error() {
        for (line, named) in [
            ("--quick", "\"--quick\""),
            ("--seed", "--seed needs a value"),
            ("--seconds 0", "from 1 to 604800, not \"0\""),
            ("--batch many", "not \"many\""),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
