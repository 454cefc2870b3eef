//! How a run ends.

use std::fmt;

use super::program::Program;
use crate::error::BoxError;

/// How a run has ended: each ends once, in one of these ways.
pub enum End<P: Program> {
    /// The program is done.
    Result(P::Output),
    /// The program, or a handler that it depended on, has failed.
    Error(Failure<P::Error>),
    /// A handler, or whoever owned the run, has given it up, or its session was closed.
    Abandoned,
}

/// Why a run has failed.
#[derive(Debug)]
pub enum Failure<E> {
    /// The program says so.
    Program(E),
    /// A handler failed, and had not answered the savepoint.
    Handler(BoxError),
    /// The program or a handler panicked; the text of the panic.
    Panic(String),
}

impl<P: Program> fmt::Debug for End<P>
where
    P::Output: fmt::Debug,
    P::Error: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(output) => f.debug_tuple("Result").field(output).finish(),
            Self::Error(failure) => f.debug_tuple("Error").field(failure).finish(),
            Self::Abandoned => f.write_str("Abandoned"),
        }
    }
}

impl<E: fmt::Display> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => error.fmt(f),
            Self::Handler(error) => write!(f, "a handler failed: {error}"),
            Self::Panic(text) => write!(f, "panicked: {text}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Failure<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Program(error) => error.source(),
            Self::Handler(error) => Some(&**error),
            Self::Panic(_) => None,
        }
    }
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It goes on when it is driven.
    Ready,
    /// It waits at a savepoint, for who owns the run.
    Suspended,
    /// It waits at a savepoint, for whoever claims it: see [`Held`](super::Held).
    Held,
    /// It is done.
    Result,
    /// It has failed.
    Error,
    /// It was given up.
    Abandoned,
}
