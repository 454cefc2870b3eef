//! What a shutdown came to.

use std::fmt;
use std::process::{ExitCode, Termination};

use crate::actor::{ActorInfo, Identity};

/// What became of the actors that were ended.
///
/// `main` may return it: the exit code is a success if it is [clean](Self::is_clean), else a
/// failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "it says what was lost"]
pub struct Report {
    /// How many ended by themselves, or as they were told.
    pub stopped: usize,
    /// Those that had to be killed.
    pub killed: Vec<Identity>,
    /// Those that did not end even so: each is in a poll that does not return.
    pub left: Vec<ActorInfo>,
    /// Messages that those that ended had accepted and not handled. They went back to their askers,
    /// or to who takes what is [undelivered](crate::Undelivered).
    pub undelivered: usize,
}

impl Report {
    /// Whether all ended in time, and no accepted message was lost.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.killed.is_empty() && self.left.is_empty() && self.undelivered == 0
    }
}

impl Termination for Report {
    fn report(self) -> ExitCode {
        match self.is_clean() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            stopped,
            killed,
            left,
            undelivered,
        } = self;
        write!(f, "actors stopped: {stopped}")?;
        if *undelivered > 0 {
            write!(f, ", messages not delivered: {undelivered}")?;
        }
        list(f, "killed", killed)?;
        list(f, "left", left)
    }
}

/// The names of some of them.
pub(super) fn list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    items: &[T],
) -> fmt::Result {
    const SHOWN: usize = 16;
    if items.is_empty() {
        return Ok(());
    }
    write!(f, ", {what}: {} (", items.len())?;
    for (index, item) in items.iter().take(SHOWN).enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { "; " })?;
    }
    f.write_str(if items.len() > SHOWN { "; ..)" } else { ")" })
}
