//! What a peer is told of an ask that gave no reply: a code, and nothing of how things are inside.

use crate::actor::{AskError, Crossing, ExitReason, Refusal, TimeoutState};

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The message was not handled.
    NotHandled(Why),
    /// Its handler was cut short.
    Interrupted(End),
    /// Its deadline passed while it was handled.
    TimedOut,
    /// It was handled; its reply has too many bytes.
    ReplyTooLarge,
    /// It was handled; its reply could not be encoded.
    ReplyNotEncodable,
    /// It may have been handled.
    Unknown,
}

/// Why a message was not handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It could not be decoded.
    NotDecodable,
    /// There is no such actor.
    Stale,
    /// It found no room.
    Full,
    /// It was dropped for want of room.
    Overflow,
    /// Its deadline had passed.
    Expired,
    /// The actor has ended.
    Ended(End),
    /// Something else.
    Other,
}

/// How an actor ended, or its incarnation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stopped,
    Dropped,
    Killed,
    RuntimeGone,
    Restarted,
    Failed,
    /// Nobody says: whoever was to reply is no more.
    Silent,
}

impl End {
    const ALL: [Self; 7] = [
        Self::Stopped,
        Self::Dropped,
        Self::Killed,
        Self::RuntimeGone,
        Self::Restarted,
        Self::Failed,
        Self::Silent,
    ];

    pub(crate) fn of(reason: Option<&ExitReason>) -> Self {
        match reason {
            Some(ExitReason::Stopped) => Self::Stopped,
            Some(ExitReason::Dropped) => Self::Dropped,
            Some(ExitReason::Killed) => Self::Killed,
            Some(ExitReason::RuntimeGone) => Self::RuntimeGone,
            Some(ExitReason::Restarted) => Self::Restarted,
            Some(_) => Self::Failed,
            None => Self::Silent,
        }
    }

    pub(crate) fn reason(self) -> Option<ExitReason> {
        match self {
            Self::Stopped => Some(ExitReason::Stopped),
            Self::Dropped => Some(ExitReason::Dropped),
            Self::Killed => Some(ExitReason::Killed),
            Self::RuntimeGone => Some(ExitReason::RuntimeGone),
            Self::Restarted => Some(ExitReason::Restarted),
            Self::Failed => Some(ExitReason::Failed),
            Self::Silent => None,
        }
    }
}

/// Every failure but those with an end: the place is the code, from one on.
const PLAIN: [Failure; 10] = [
    Failure::TimedOut,
    Failure::ReplyTooLarge,
    Failure::ReplyNotEncodable,
    Failure::NotHandled(Why::NotDecodable),
    Failure::NotHandled(Why::Stale),
    Failure::NotHandled(Why::Full),
    Failure::NotHandled(Why::Overflow),
    Failure::NotHandled(Why::Expired),
    Failure::NotHandled(Why::Other),
    Failure::Unknown,
];

/// Where the codes of the others begin: an end is added.
const INTERRUPTED: u16 = 0x100;
const ENDED: u16 = 0x200;

impl Failure {
    /// Its code on the wire.
    pub(crate) fn code(self) -> u16 {
        match self {
            Self::Interrupted(end) => INTERRUPTED + end as u16,
            Self::NotHandled(Why::Ended(end)) => ENDED + end as u16,
            _ => PLAIN
                .iter()
                .zip(1..)
                .find(|(plain, _)| **plain == self)
                .map_or(0, |(_, n)| n),
        }
    }

    /// The failure of a code; of one that is not known here, nothing is known.
    pub(crate) fn from_code(code: u16) -> Self {
        let end = || End::ALL.get(usize::from(code & 0xff)).copied();
        let found = match code & 0xff00 {
            INTERRUPTED => end().map(Self::Interrupted),
            ENDED => end().map(|end| Self::NotHandled(Why::Ended(end))),
            0 => usize::from(code)
                .checked_sub(1)
                .and_then(|place| PLAIN.get(place).copied()),
            _ => None,
        };
        found.unwrap_or(Self::Unknown)
    }

    /// What an ask's error is to a peer. The handler's own is a reply.
    pub(super) fn of<E>(error: &AskError<E>) -> Self {
        match error {
            AskError::NotHandled(error) => Self::NotHandled(Why::of(error.refusal())),
            AskError::Interrupted(error) => Self::Interrupted(End::of(error.reason())),
            AskError::Timeout(error) => match error.state() {
                TimeoutState::Skipped => Self::NotHandled(Why::Expired),
                _ => Self::TimedOut,
            },
            _ => Self::Unknown,
        }
    }
}

impl Why {
    pub(super) fn of(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Full | Refusal::TooMany | Refusal::Timeout(_) => Self::Full,
            Refusal::Overflow => Self::Overflow,
            Refusal::Expired => Self::Expired,
            Refusal::Ended(reason) => Self::Ended(End::of(Some(reason))),
            Refusal::Crossing(Crossing::Stale) => Self::Stale,
            _ => Self::Other,
        }
    }

    /// What it is to whom it happened.
    pub(super) fn refusal(self) -> Refusal {
        match self {
            Self::NotDecodable => Refusal::Crossing(Crossing::NotDecodable(
                "the other side can't read it".into(),
            )),
            Self::Stale => Refusal::Crossing(Crossing::Stale),
            Self::Full => Refusal::Full,
            Self::Overflow => Refusal::Overflow,
            Self::Expired => Refusal::Expired,
            Self::Ended(end) => Refusal::Ended(end.reason().unwrap_or(ExitReason::Failed)),
            Self::Other => Refusal::Crossing(Crossing::Refused),
        }
    }
}
