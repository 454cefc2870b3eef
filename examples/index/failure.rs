//! Why the program ends without having done its work.

use std::fmt;
use std::io;

use super::BoxError;
use super::arguments::ArgumentError;

/// What went wrong, by who can put it right.
#[derive(Debug)]
pub enum Failure {
    /// The user: arguments, or a directory in which there is nothing to index.
    Usage(String),
    /// `Ctrl-C` came before the first file was indexed.
    Interrupted,
    /// Nobody: what should have worked did not.
    Broken(BoxError),
}

impl Failure {
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Interrupted => 130,
            Failure::Broken(_) => 1,
        }
    }

    /// Whether a reader of the output, such as `head`, has seen enough and left.
    pub fn is_broken_pipe(&self) -> bool {
        let Failure::Broken(error) = self else {
            return false;
        };
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) => f.write_str(message),
            Failure::Interrupted => f.write_str("interrupted before the first file was indexed"),
            Failure::Broken(error) => error.fmt(f),
        }
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Failure::Usage(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Broken(error.into())
    }
}

impl From<BoxError> for Failure {
    fn from(error: BoxError) -> Self {
        Failure::Broken(error)
    }
}
