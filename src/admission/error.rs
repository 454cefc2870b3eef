//! What is refused for want of resources.

use std::fmt;
use std::sync::Arc;

use super::monitor::Pressure;
use crate::error::Error;

/// There is too much already: what was measured, and how much of it is too much.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overload {
    /// The level that this is.
    pub level: Pressure,
    /// What was measured.
    pub source: Arc<str>,
    /// How much there was.
    pub value: u64,
    /// From where on it is this level.
    pub threshold: u64,
}

impl Overload {
    /// One of a policy's own.
    pub fn new(level: Pressure, source: impl Into<Arc<str>>, value: u64, threshold: u64) -> Self {
        Self {
            level,
            source: source.into(),
            value,
            threshold,
        }
    }
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            level,
            source,
            value,
            threshold,
        } = self;
        write!(
            f,
            "overloaded: {source} is {value}, and {level} from {threshold} on"
        )
    }
}

impl std::error::Error for Overload {}

impl From<Overload> for Error {
    fn from(error: Overload) -> Self {
        Self::new(error)
    }
}

/// Why there is no monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MonitorError {
    /// The call was made outside any tokio runtime.
    NoRuntime,
    /// A source's elevated level has to begin above 0, and no later than its critical one.
    Thresholds(Arc<str>),
    /// The interval has to be longer than nothing.
    Interval,
    /// A level is left at 0 to 100 percent of where it begins.
    Hysteresis(u8),
    /// This system does not say how much memory the process has.
    Memory,
}

impl fmt::Display for MonitorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRuntime => f.write_str("there is no runtime here to spawn a monitor on"),
            Self::Thresholds(source) => write!(
                f,
                "the elevated level of {source} has to begin above 0, and no later than the \
                 critical one"
            ),
            Self::Interval => f.write_str("a monitor's interval has to be longer than nothing"),
            Self::Hysteresis(percent) => {
                write!(
                    f,
                    "a level is left at 0 to 100 percent of where it begins, not {percent}"
                )
            }
            Self::Memory => f.write_str("this system does not say how much memory the process has"),
        }
    }
}

impl std::error::Error for MonitorError {}

impl From<MonitorError> for Error {
    fn from(error: MonitorError) -> Self {
        Self::new(error)
    }
}
