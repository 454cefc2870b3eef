//! The crate's one error type, for functions that meet several of its errors.

use std::fmt;

/// An error of any type, boxed.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Any error of this crate, with its source kept: what `?` turns the others into.
///
/// The message itself is not handed back through this type; match the precise error for that.
#[derive(Debug)]
pub struct Error(BoxError);

impl Error {
    pub(crate) fn new(source: impl Into<BoxError>) -> Self {
        Self(source.into())
    }

    /// The precise error, to be downcast.
    #[must_use]
    pub fn into_inner(self) -> BoxError {
        self.0
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
