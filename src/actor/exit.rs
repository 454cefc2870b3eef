//! Why an actor ended.

use std::fmt;
use std::sync::Arc;

use super::link::LinkedEnd;
use crate::contain::{Payload, text_of};
use crate::error::BoxError;

mod gave_up;

pub use gave_up::GaveUp;

/// Why an actor ended, as [`Handle::join`](crate::Handle::join) and errors tell it.
///
/// | reason | accepted messages | start hook | stop hook |
/// | --- | --- | --- | --- |
/// | `Stopped`, `Dropped` | all handled first | ran | runs |
/// | `Killed`, `Linked` | back to askers, else undelivered | may not have run | does not run |
/// | `Panicked`, in a handler | as `Killed`; the message at fault is lost | ran | does not run |
/// | `StartFailed`, `Panicked` in the start hook | as `Killed` | failed | does not run |
/// | `Panicked` in the stop hook | all handled before | ran | did not finish |
/// | `GaveUp`, of a supervisor | as `Stopped` | ran | runs |
/// | `RuntimeGone` | as `Killed` | may not have run | does not run |
/// | `NeverBegan` | as `Killed` | did not run | does not run |
///
/// In every case, in this order: the handler's future is dropped, the state is dropped, messages
/// left are discarded, names are free, who monitors or is linked is told, and only then the end is
/// announced to those who join. [`guarantees::life`](crate::guarantees::life) has the whole table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ExitReason {
    /// Somebody, perhaps the actor itself, asked it to stop.
    Stopped,
    /// The last handle was dropped.
    Dropped,
    /// It was killed.
    Killed,
    /// A handler or a hook panicked.
    Panicked(Crash),
    /// The start hook returned an error.
    StartFailed(StartError),
    /// An actor that it was [linked](crate::Handle::link) with ended abnormally.
    Linked(LinkedEnd),
    /// The runtime that it lived on ended.
    RuntimeGone,
    /// The [place](crate::Vacancy) that was kept for it was given up: it never began.
    NeverBegan,
    /// It was a supervisor, and a child of it failed more often than it may.
    GaveUp(GaveUp),
    /// This incarnation of it ended, so that another takes its place. Its stop hook, and who waits
    /// for the message that it was handling, hear of it; the actor lives on.
    Restarted,
    /// It failed in another process, which does not say how.
    #[cfg(feature = "remote")]
    Failed,
}

impl ExitReason {
    /// Whether the actor ended because it was told to, or was no longer needed.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        matches!(self, Self::Stopped | Self::Dropped)
    }

    pub(super) fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Panicked(crash) => Some(crash),
            Self::StartFailed(error) => Some(error),
            Self::Linked(end) => Some(end),
            Self::GaveUp(failure) => Some(failure),
            _ => None,
        }
    }
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("it was stopped"),
            Self::Dropped => f.write_str("its last handle was dropped"),
            Self::Killed => f.write_str("it was killed"),
            Self::Panicked(crash) => write!(f, "it {crash}"),
            Self::StartFailed(error) => error.fmt(f),
            Self::Linked(end) => end.fmt(f),
            Self::RuntimeGone => f.write_str("its runtime ended"),
            Self::NeverBegan => f.write_str("it never began"),
            Self::GaveUp(failure) => write!(f, "it {failure}"),
            Self::Restarted => f.write_str("it was restarted"),
            #[cfg(feature = "remote")]
            Self::Failed => f.write_str("it failed"),
        }
    }
}

/// What an actor was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum During {
    /// Running its start hook.
    Start,
    /// Handling a message of the named type.
    Message(&'static str),
    /// Running its stop hook.
    Stop,
}

impl fmt::Display for During {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("in its start hook"),
            Self::Message(name) => write!(f, "while handling {name}"),
            Self::Stop => f.write_str("in its stop hook"),
        }
    }
}

/// A panic in an actor: where, and what it said.
#[derive(Clone)]
pub struct Crash(Arc<CrashParts>);

struct CrashParts {
    during: During,
    text: Box<str>,
}

impl Crash {
    pub(crate) fn new(during: During, payload: &Payload) -> Self {
        Self(Arc::new(CrashParts {
            during,
            text: text_of(payload).into(),
        }))
    }

    /// What the actor was doing when it panicked.
    #[must_use]
    pub fn during(&self) -> During {
        self.0.during
    }

    /// The panic's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panicked {}: {}", self.during(), self.text())
    }
}

impl fmt::Debug for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Crash {}

/// The error that a start hook returned.
#[derive(Clone)]
pub struct StartError(Arc<BoxError>);

impl StartError {
    pub(crate) fn new(source: BoxError) -> Self {
        Self(Arc::new(source))
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its start hook failed: {}", self.0)
    }
}

impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StartError").field(&self.0).finish()
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&**self.0 as &(dyn std::error::Error + 'static))
    }
}
