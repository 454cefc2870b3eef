//! What can go wrong about runtimes.

use std::error::Error;
use std::fmt;
use std::io;

/// The call was made outside any tokio runtime, so there is nothing to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoRuntime;

impl fmt::Display for NoRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no runtime is around: call this inside `#[greenroom::main]`, `#[tokio::main]` or \
             `Runtime::block_on`, or use a runtime's handle",
        )
    }
}

impl Error for NoRuntime {}

/// An option that is not valid, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) option: &'static str,
    pub(super) reason: &'static str,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option `{}` {}", self.option, self.reason)
    }
}

/// Refuses an option unless what it needs holds.
pub(super) fn require(
    holds: bool,
    option: &'static str,
    reason: &'static str,
) -> Result<(), Problem> {
    if holds {
        Ok(())
    } else {
        Err(Problem { option, reason })
    }
}

/// Why a runtime was not built.
#[derive(Debug)]
pub struct BuildError(BuildRepr);

#[derive(Debug)]
enum BuildRepr {
    Option(Problem),
    Host(io::Error),
}

impl BuildError {
    /// The option that is not valid, by the name of its method; `None` if the operating system
    /// refused.
    #[must_use]
    pub fn option(&self) -> Option<&'static str> {
        match &self.0 {
            BuildRepr::Option(problem) => Some(problem.option),
            BuildRepr::Host(_) => None,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            BuildRepr::Option(problem) => problem.fmt(f),
            BuildRepr::Host(_) => f.write_str("the tokio runtime could not be built"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            BuildRepr::Option(_) => None,
            BuildRepr::Host(error) => Some(error),
        }
    }
}

impl From<Problem> for BuildError {
    fn from(problem: Problem) -> Self {
        Self(BuildRepr::Option(problem))
    }
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        Self(BuildRepr::Host(error))
    }
}

/// What tokio's builder gives, so that a `main` which returns [`io::Result`] keeps its `?`.
///
/// ```
/// fn main() -> std::io::Result<()> {
///     let runtime = greenroom::Runtime::builder().current_thread().build()?;
///     runtime.block_on(async { std::net::TcpListener::bind("127.0.0.1:0").map(drop) })?;
///     let error = greenroom::Runtime::builder().worker_threads(0).build().unwrap_err();
///     assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::InvalidInput);
///     Ok(())
/// }
/// ```
impl From<BuildError> for io::Error {
    fn from(error: BuildError) -> Self {
        match error.0 {
            BuildRepr::Host(error) => error,
            BuildRepr::Option(_) => Self::new(io::ErrorKind::InvalidInput, error),
        }
    }
}

/// Why a scheduler was not attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachError(AttachRepr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum AttachRepr {
    Option(Problem),
    /// The name of an option that differs.
    AlreadyAttached(&'static str),
}

impl AttachError {
    pub(super) fn already_attached(option: &'static str) -> Self {
        Self(AttachRepr::AlreadyAttached(option))
    }

    /// The runtime has a scheduler with other options already.
    #[must_use]
    pub fn is_already_attached(&self) -> bool {
        matches!(self.0, AttachRepr::AlreadyAttached(_))
    }

    /// The option that is not valid on this runtime, or that the scheduler there has another value
    /// of, by the name of its method.
    #[must_use]
    pub fn option(&self) -> Option<&'static str> {
        match &self.0 {
            AttachRepr::Option(problem) => Some(problem.option),
            AttachRepr::AlreadyAttached(option) => Some(option),
        }
    }
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            AttachRepr::Option(problem) => problem.fmt(f),
            AttachRepr::AlreadyAttached(option) => write!(
                f,
                "the runtime has a scheduler already, with another value of option `{option}`: \
                 attach before the first spawn"
            ),
        }
    }
}

impl Error for AttachError {}

impl From<Problem> for AttachError {
    fn from(problem: Problem) -> Self {
        Self(AttachRepr::Option(problem))
    }
}

/// A future that was not spawned, because the runtime is shutting down. It is handed back.
pub struct Refused<F>(F);

impl<F> Refused<F> {
    pub(super) fn new(future: F) -> Self {
        Self(future)
    }

    /// The future.
    #[must_use]
    pub fn into_inner(self) -> F {
        self.0
    }
}

impl<F> fmt::Debug for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Refused").finish_non_exhaustive()
    }
}

impl<F> fmt::Display for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the runtime is shutting down and takes no task")
    }
}

impl<F> Error for Refused<F> {}

macro_rules! into_error {
    ($($error:ty),*) => {$(
        impl From<$error> for crate::error::Error {
            fn from(error: $error) -> Self {
                Self::new(error)
            }
        }
    )*};
}

into_error!(NoRuntime, BuildError, AttachError);
