//! Why an actor of another node ended, as far as that says.

use std::fmt;

use crate::actor::ExitReason;

/// Why an actor of another node ended: as [`ExitReason`], without what it carries, since nothing
/// internal leaves a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum RemoteEnd {
    /// Somebody asked it to stop.
    Stopped,
    /// Its last handle was dropped.
    Dropped,
    /// It was killed.
    Killed,
    /// A handler or a hook panicked.
    Panicked,
    /// Its start hook returned an error.
    StartFailed,
    /// One that it was linked with ended.
    Linked,
    /// Its runtime ended.
    RuntimeGone,
    /// It was a supervisor that gave up.
    GaveUp,
    /// It was never started.
    NeverBegan,
    /// Nobody knows: the session ended before, or it is no longer exported.
    Unknown,
}

use RemoteEnd as End;

/// By their codes on the wire.
const ALL: [End; 10] = [
    End::Unknown,
    End::Stopped,
    End::Dropped,
    End::Killed,
    End::Panicked,
    End::StartFailed,
    End::Linked,
    End::RuntimeGone,
    End::GaveUp,
    End::NeverBegan,
];

impl RemoteEnd {
    pub(super) fn of(reason: &ExitReason) -> Self {
        match reason {
            ExitReason::Stopped => Self::Stopped,
            ExitReason::Dropped => Self::Dropped,
            ExitReason::Killed => Self::Killed,
            ExitReason::Panicked(_) => Self::Panicked,
            ExitReason::StartFailed(_) => Self::StartFailed,
            ExitReason::Linked(_) => Self::Linked,
            ExitReason::RuntimeGone => Self::RuntimeGone,
            ExitReason::GaveUp(_) => Self::GaveUp,
            ExitReason::NeverBegan => Self::NeverBegan,
            ExitReason::Restarted | ExitReason::Failed => Self::Unknown,
        }
    }

    pub(super) fn code(self) -> u8 {
        let place = ALL.iter().position(|end| *end == self);
        place
            .and_then(|place| u8::try_from(place).ok())
            .unwrap_or(0)
    }

    /// Codes of later versions are unknown ends.
    pub(super) fn from_code(code: Option<u8>) -> Self {
        let known = code.and_then(|code| ALL.get(usize::from(code)));
        known.copied().unwrap_or(Self::Unknown)
    }
}

impl fmt::Display for RemoteEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "it was stopped",
            Self::Dropped => "its last handle was dropped",
            Self::Killed => "it was killed",
            Self::Panicked => "it panicked",
            Self::StartFailed => "it did not start",
            Self::Linked => "an actor that it was linked with ended",
            Self::RuntimeGone => "its runtime ended",
            Self::GaveUp => "it gave up on a child",
            Self::NeverBegan => "it was never started",
            Self::Unknown => "its node says no more",
        })
    }
}
