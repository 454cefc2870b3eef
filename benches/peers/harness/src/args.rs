//! The command line.

use std::path::PathBuf;

use crate::machine::WORKERS_DEFAULT;
use crate::suite::Suite;

const USAGE: &str = "\
usage: --suite NAME [--workload NAME,…] [--peer NAME,…] [--rounds N] [--workers N]
       [--json | --markdown] [--against FILE]

  --workload NAME,…  only these workloads
  --peer NAME,…      only these peers
  --rounds N         measure every cell N times, interleaved (default: 5)
  --workers N        threads of every peer's runtime (default: 2)
  --json             one object a line instead of a table
  --markdown         a table for a document
  --against FILE     name each ratio of greenroom's beyond twice that in FILE's tables";

const ROUNDS_DEFAULT: usize = 5;
/// More rounds than this are a slip of the finger: one takes some 15 seconds.
const ROUNDS_MAX: usize = 1_000;
/// More would only measure how the machine shares out its cores.
const WORKERS_MAX: usize = 256;

/// How the command line is written.
pub fn usage(suites: &[Suite]) -> String {
    let (head, options) = USAGE.split_once("\n\n").expect("an empty line");
    let names = names(suites);
    format!("{head}\n\n  --suite NAME       what to measure: {names}\n{options}")
}

fn names(suites: &[Suite]) -> String {
    let names: Vec<_> = suites.iter().map(|suite| suite.name).collect();
    names.join(", ")
}

/// What the command line asks for; all names exist.
#[derive(Debug, PartialEq)]
pub enum Command {
    Help,
    Compare(Comparison),
    /// Hidden: serve a peer of the suite `remote` until the process is killed.
    Serve {
        peer: &'static str,
        workers: usize,
    },
    /// Hidden: measure one cell in this process and print its number.
    Cell {
        suite: &'static str,
        workload: &'static str,
        peer: &'static str,
        workers: usize,
    },
}

#[derive(Debug, PartialEq)]
pub struct Comparison {
    pub suite: &'static str,
    pub workloads: Vec<&'static str>,
    pub peers: Vec<&'static str>,
    pub rounds: usize,
    pub workers: usize,
    pub format: Format,
    pub against: Option<PathBuf>,
}

/// How what was measured is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Format {
    #[default]
    Table,
    Markdown,
    Json,
}

/// The words of a command line, by option; nothing is looked up yet.
#[derive(Default)]
struct Words {
    suite: Option<String>,
    workloads: Vec<String>,
    peers: Vec<String>,
    rounds: Option<String>,
    workers: Option<String>,
    format: Format,
    against: Option<String>,
    cell: bool,
    serve: bool,
    help: bool,
}

/// The command, or what is wrong with the line.
pub fn parse(suites: &[Suite], args: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let words = read(args)?;
    if words.help {
        return Ok(Command::Help);
    }
    let known: Vec<_> = suites.iter().map(|suite| suite.name).collect();
    let Some(name) = &words.suite else {
        return Err(format!(
            "`--suite` is missing; there are: {}",
            names(suites)
        ));
    };
    let name = find("suite", name, &known)?;
    let suite = suites
        .iter()
        .find(|suite| suite.name == name)
        .expect("its name was found");
    let workloads = select("workload", &words.workloads, suite.workloads())?;
    let peers = select("peer", &words.peers, suite.peers())?;
    let workers = match &words.workers {
        Some(word) => number("--workers", word, WORKERS_MAX)?,
        None => WORKERS_DEFAULT,
    };
    if words.serve {
        return match peers[..] {
            [peer] => Ok(Command::Serve { peer, workers }),
            _ => Err("`--serve` needs one peer".to_owned()),
        };
    }
    if words.cell {
        return match (&workloads[..], &peers[..]) {
            (&[workload], &[peer]) => Ok(Command::Cell {
                suite: name,
                workload,
                peer,
                workers,
            }),
            _ => Err("`--cell` needs one workload and one peer".to_owned()),
        };
    }
    let rounds = match &words.rounds {
        Some(word) => number("--rounds", word, ROUNDS_MAX)?,
        None => ROUNDS_DEFAULT,
    };
    Ok(Command::Compare(Comparison {
        suite: name,
        workloads,
        peers,
        rounds,
        workers,
        format: words.format,
        against: words.against.map(PathBuf::from),
    }))
}

fn read(args: impl IntoIterator<Item = String>) -> Result<Words, String> {
    let mut words = Words::default();
    let mut args = args.into_iter();
    while let Some(option) = args.next() {
        let mut value = || {
            args.next()
                .ok_or_else(|| format!("`{option}` needs a value"))
        };
        match option.as_str() {
            "--suite" => words.suite = Some(value()?),
            "--workload" => words.workloads.extend(split(&value()?)),
            "--peer" => words.peers.extend(split(&value()?)),
            "--rounds" => words.rounds = Some(value()?),
            "--workers" => words.workers = Some(value()?),
            "--json" => words.format = Format::Json,
            "--markdown" => words.format = Format::Markdown,
            "--against" => words.against = Some(value()?),
            "--cell" => words.cell = true,
            "--serve" => words.serve = true,
            "--help" | "-h" => words.help = true,
            _ => return Err(format!("unknown argument `{option}`")),
        }
    }
    Ok(words)
}

fn split(list: &str) -> impl Iterator<Item = String> {
    list.split(',').map(|name| name.trim().to_owned())
}

/// The named ones of `known`, in its order; all of them if none is named.
fn select(
    kind: &str,
    names: &[String],
    known: Vec<&'static str>,
) -> Result<Vec<&'static str>, String> {
    for name in names {
        find(kind, name, &known)?;
    }
    let wanted = |name: &&str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    Ok(known.into_iter().filter(wanted).collect())
}

fn find(kind: &str, name: &str, known: &[&'static str]) -> Result<&'static str, String> {
    known
        .iter()
        .copied()
        .find(|known| *known == name)
        .ok_or_else(|| format!("unknown {kind} `{name}`; there are: {}", known.join(", ")))
}

fn number(option: &str, word: &str, max: usize) -> Result<usize, String> {
    match word.parse() {
        Ok(number) if (1..=max).contains(&number) => Ok(number),
        _ => Err(format!("`{option} {word}` is not a number from 1 to {max}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Cell, Column, Measure, Unit};

    fn suites() -> [Suite; 1] {
        let measure = Measure::Figure(Unit::Nanos, || 0.0);
        let cell = |workload| Cell::new(workload, measure);
        let column = |peer| Column {
            peer,
            cells: vec![cell("ask"), cell("tell")],
        };
        [Suite {
            name: "actors",
            columns: vec![column("raw"), column("kameo")],
            base: "raw",
            targets: &[],
            relations: Vec::new(),
        }]
    }

    fn parse_line(line: &str) -> Result<Command, String> {
        parse(&suites(), line.split_whitespace().map(str::to_owned))
    }

    fn comparison(line: &str) -> Comparison {
        match parse_line(line) {
            Ok(Command::Compare(comparison)) => comparison,
            other => panic!("not a comparison: {other:?}"),
        }
    }

    fn refusal(line: &str) -> String {
        parse_line(line).unwrap_err()
    }

    #[test]
    fn a_suite_alone_means_all_of_it() {
        let all = comparison("--suite actors");
        assert_eq!(all.workloads, ["ask", "tell"]);
        assert_eq!(all.peers, ["raw", "kameo"]);
        assert_eq!((all.rounds, all.workers), (ROUNDS_DEFAULT, WORKERS_DEFAULT));
        assert_eq!((all.format, all.against), (Format::Table, None));
    }

    #[test]
    fn lists_select_in_the_order_of_the_suite() {
        let some = comparison("--suite actors --peer kameo,raw --workload tell --rounds 3 --json");
        assert_eq!(some.workloads, ["tell"]);
        assert_eq!(some.peers, ["raw", "kameo"]);
        assert_eq!((some.rounds, some.format), (3, Format::Json));
    }

    #[test]
    fn a_name_given_twice_counts_once() {
        assert_eq!(
            comparison("--suite actors --peer raw --peer raw,raw").peers,
            ["raw"]
        );
    }

    #[test]
    fn unknown_names_are_refused_with_the_known_ones() {
        assert_eq!(
            refusal("--suite wire"),
            "unknown suite `wire`; there are: actors"
        );
        let peer = refusal("--suite actors --peer raw,erlang");
        assert_eq!(peer, "unknown peer `erlang`; there are: raw, kameo");
        let workload = refusal("--suite actors --workload ask,");
        assert_eq!(workload, "unknown workload ``; there are: ask, tell");
        assert_eq!(
            refusal("--suite actors --fast"),
            "unknown argument `--fast`"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(refusal("--json"), "`--suite` is missing; there are: actors");
        assert_eq!(refusal("--suite"), "`--suite` needs a value");
    }

    #[test]
    fn rounds_are_a_number_within_bounds() {
        for rounds in ["0", "-1", "1001", "many"] {
            let line = format!("--suite actors --rounds {rounds}");
            assert!(
                refusal(&line).contains("is not a number from 1 to 1000"),
                "{line}"
            );
        }
    }

    #[test]
    fn workers_are_a_number_within_bounds() {
        assert_eq!(comparison("--suite actors --workers 4").workers, 4);
        for workers in ["0", "257", "all"] {
            let line = format!("--suite actors --workers {workers}");
            assert!(
                refusal(&line).contains("is not a number from 1 to 256"),
                "{line}"
            );
        }
    }

    #[test]
    fn ratios_are_compared_with_those_of_a_file() {
        let compared = comparison("--suite actors --markdown --against docs/performance.md");
        assert_eq!(compared.format, Format::Markdown);
        assert_eq!(compared.against, Some("docs/performance.md".into()));
    }

    #[test]
    fn a_cell_is_one_workload_of_one_peer() {
        let cell = parse_line("--suite actors --workload ask --peer raw --cell").unwrap();
        assert_eq!(
            cell,
            Command::Cell {
                suite: "actors",
                workload: "ask",
                peer: "raw",
                workers: WORKERS_DEFAULT,
            }
        );
        assert!(refusal("--suite actors --workload ask --cell").contains("one peer"));
    }

    #[test]
    fn help_needs_nothing_else() {
        assert_eq!(parse_line("--help"), Ok(Command::Help));
    }
}
