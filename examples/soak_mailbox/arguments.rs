//! The command line.

pub const USAGE: &str = "\
usage: soak_mailbox [options]

  --messages N   how many are sent, about (default: 100000000)
  --seed N       draws every choice of the senders (default: 1)
  --workers N    workers of the runtime that is soaked (default: 4)
  --help         this text
";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    pub messages: u64,
    pub seed: u64,
    pub workers: usize,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            messages: 100_000_000,
            seed: 1,
            workers: 4,
        }
    }
}

impl Arguments {
    /// Reads the arguments, without the program's name. None where help is wanted.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut rest = arguments.into_iter();
        let mut parsed = Self::default();
        while let Some(name) = rest.next() {
            if name == "--help" {
                return Ok(None);
            }
            let text = rest.next().unwrap_or_default();
            let number: u64 = text
                .parse()
                .map_err(|_| format!("{name} takes a number, not {text:?}"))?;
            match name.as_str() {
                "--messages" if number > 0 => parsed.messages = number,
                "--seed" => parsed.seed = number,
                "--workers" if (1..=64).contains(&number) => parsed.workers = number as usize,
                _ => return Err(format!("no option {name:?} with {number}; see --help")),
            }
        }
        Ok(Some(parsed))
    }
}
