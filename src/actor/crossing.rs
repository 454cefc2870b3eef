//! What keeps a message, or its reply, from another process.

use std::borrow::Cow;
use std::fmt;

use super::identity::Identity;

/// Why a message, or a reply, did not come across to another process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Crossing {
    /// The link has ended.
    LinkEnded,
    /// The other side knows the message as another one, or not at all.
    SchemaMismatch(Box<SchemaMismatch>),
    /// Its encoding would have more bytes than it may.
    TooLarge {
        /// The most that it may have, if it was encoded in this process.
        limit: Option<usize>,
    },
    /// It could not be encoded; in its type's words, if those were in this process.
    NotEncodable(Cow<'static, str>),
    /// It could not be decoded; likewise.
    NotDecodable(Cow<'static, str>),
    /// The actor is not there for this session any more: it was exported anew, or its handle was
    /// given back.
    Stale,
    /// The other side does not take it, and does not say why.
    Refused,
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkEnded => f.write_str("the link has ended"),
            Self::SchemaMismatch(mismatch) => mismatch.fmt(f),
            Self::TooLarge { limit: Some(limit) } => write!(f, "it has more than {limit} bytes"),
            Self::TooLarge { limit: None } => f.write_str("it has too many bytes"),
            Self::NotEncodable(why) => write!(f, "it can't be encoded: {why}"),
            Self::NotDecodable(why) => write!(f, "it can't be decoded: {why}"),
            Self::Stale => f.write_str("its handle leads nowhere any more"),
            Self::Refused => f.write_str("the other side does not take it"),
        }
    }
}

impl std::error::Error for Crossing {}

/// What a message is made of, as one number. See `remote::Wire`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(crate) u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A message that the two sides of a link were built with different ideas of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaMismatch {
    /// The message's name on the wire.
    pub message: Cow<'static, str>,
    /// The fingerprint here.
    pub ours: Fingerprint,
    /// The fingerprint there; `None` where no message has this name.
    pub theirs: Option<Fingerprint>,
}

impl SchemaMismatch {
    pub(crate) fn new(
        message: Cow<'static, str>,
        ours: Fingerprint,
        theirs: Option<Fingerprint>,
    ) -> Box<Self> {
        Box::new(Self {
            message,
            ours,
            theirs,
        })
    }
}

impl fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            message,
            ours,
            theirs,
        } = self;
        match theirs {
            Some(theirs) => write!(f, "`{message}` is {ours} here and {theirs} there"),
            None => write!(f, "`{message}` is {ours} here and unknown there"),
        }
    }
}

/// An ask that was sent to another process, and whose answer did not come back.
#[derive(Clone, Debug)]
pub struct OutcomeUnknown {
    actor: Identity,
    crossing: Crossing,
}

impl OutcomeUnknown {
    pub(crate) fn new(actor: Identity, crossing: Crossing) -> Self {
        Self { actor, crossing }
    }

    /// Who was asked.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why its answer did not come.
    #[must_use]
    pub fn crossing(&self) -> &Crossing {
        &self.crossing
    }

    /// Whether its handler is known to have run to its end: the reply is what was lost. Otherwise
    /// it may not have run at all.
    #[must_use]
    pub fn was_handled(&self) -> bool {
        !matches!(self.crossing, Crossing::LinkEnded)
    }
}

impl fmt::Display for OutcomeUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { actor, crossing } = self;
        match self.was_handled() {
            true => write!(
                f,
                "{actor} handled the message, and its reply is lost: {crossing}"
            ),
            false => write!(
                f,
                "{actor} was sent the message, and did not reply: {crossing}"
            ),
        }
    }
}

impl std::error::Error for OutcomeUnknown {}
