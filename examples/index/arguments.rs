//! The command line.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::thread;

use super::limits::Limits;
use super::query::Pattern;

pub const USAGE: &str = "\
usage: index [DIR] [--query WORD]... [options]

Indexes the words of all text files below DIR (default: the sources of this crate, or else the
current directory), then answers look-ups: those of --query, else those typed at the prompt.
WORD may end in a star: mail* finds mailbox.

  --query WORD                  look up WORD; may be repeated
  --shards N                    actors that hold the index (default: one per core)
  --readers N                   actors that read files (default: two per core)
  --files-max N                 files to index at most
  --words-max N                 distinct words to keep at most
  --positions-max N             positions to keep at most
  --positions-per-word-max N    positions to keep of one word at most
  --help                        this text
";

/// Actors of one kind that may be asked for.
const ACTORS: RangeInclusive<usize> = 1..=64;

/// Positions of one word are counted in 32 bits, files numbered in as many.
const COUNTS: RangeInclusive<usize> = 1..=u32::MAX as usize;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Index(Arguments),
}

#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub dir: PathBuf,
    pub queries: Vec<Pattern>,
    pub shards: usize,
    pub readers: usize,
    pub limits: Limits,
}

/// What is wrong with the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct ArgumentError(String);

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ArgumentError {}

impl Command {
    /// Reads the arguments, without the program's name.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, ArgumentError> {
        let mut rest = arguments.into_iter();
        let mut parsed = Arguments::default();
        let mut dir = None;
        let mut options_ended = false;
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            if options_ended || !text.starts_with('-') {
                if dir.replace(PathBuf::from(&argument)).is_some() {
                    return Err(ArgumentError(format!("one directory is enough: {text:?}")));
                }
            } else if text == "--" {
                options_ended = true;
            } else if text == "--help" || text == "-h" {
                return Ok(Command::Help);
            } else {
                parsed.set(&text, || rest.next())?;
            }
        }
        parsed.dir = dir.unwrap_or_else(default_dir);
        Ok(Command::Index(parsed))
    }
}

impl Default for Arguments {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Arguments {
            dir: PathBuf::new(),
            queries: Vec::new(),
            shards: cores.min(*ACTORS.end()),
            readers: (2 * cores).min(*ACTORS.end()),
            limits: Limits::default(),
        }
    }
}

impl Arguments {
    /// Takes one option, its value after an equals sign or in the next argument.
    fn set(
        &mut self,
        option: &str,
        next: impl FnOnce() -> Option<OsString>,
    ) -> Result<(), ArgumentError> {
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let value = || {
            let value = inline.or_else(|| next().map(|text| text.to_string_lossy().into_owned()));
            value.ok_or_else(|| ArgumentError(format!("{name} needs a value")))
        };
        match name {
            "--query" => {
                let query = Pattern::parse(&value()?);
                self.queries
                    .push(query.map_err(|error| ArgumentError(error.to_string()))?);
            }
            "--shards" => self.shards = number(name, &value()?, ACTORS)?,
            "--readers" => self.readers = number(name, &value()?, ACTORS)?,
            "--files-max" => self.limits.files = number(name, &value()?, COUNTS)?,
            "--words-max" => self.limits.words = number(name, &value()?, COUNTS)?,
            "--positions-max" => self.limits.positions = number(name, &value()?, COUNTS)?,
            "--positions-per-word-max" => {
                self.limits.positions_per_word = number(name, &value()?, COUNTS)?;
            }
            _ => {
                return Err(ArgumentError(format!(
                    "there is no option {name:?}; see --help"
                )));
            }
        }
        Ok(())
    }
}

fn number(name: &str, text: &str, range: RangeInclusive<usize>) -> Result<usize, ArgumentError> {
    let number = text
        .replace('_', "")
        .parse()
        .ok()
        .filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        ArgumentError(format!(
            "{name} takes a number from {least} to {most}, not {text:?}"
        ))
    })
}

/// The crate's own sources when cargo runs this, else where one stands.
fn default_dir() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, ArgumentError> {
        Command::parse(line.split_whitespace().map(OsString::from))
    }

    fn parsed(line: &str) -> Arguments {
        match parse(line) {
            Ok(Command::Index(arguments)) => arguments,
            other => panic!("not arguments: {other:?}"),
        }
    }

    #[test]
    fn options_may_stand_anywhere_and_take_their_value_either_way() {
        let arguments = parsed("--query ask docs --query=mail* --shards 3 --positions-max=1_000");
        assert_eq!(arguments.dir, PathBuf::from("docs"));
        let queries: Vec<String> = arguments.queries.iter().map(Pattern::to_string).collect();
        assert_eq!(queries, ["ask", "mail*"]);
        assert_eq!((arguments.shards, arguments.limits.positions), (3, 1_000));
        assert_eq!(parsed("-- --odd-name").dir, PathBuf::from("--odd-name"));
        assert_eq!(parse("x --help"), Ok(Command::Help));
    }

    #[test]
    fn a_bad_argument_is_named_in_the_error() {
        for (line, named) in [
            ("one two", "\"two\""),
            ("--quiet", "\"--quiet\""),
            ("--query", "--query needs a value"),
            ("--query a.b", "\"a.b\""),
            ("--shards 0", "from 1 to 64, not \"0\""),
            ("--readers many", "not \"many\""),
            ("--words-max -1", "not \"-1\""),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
    }
}
