//! Why a session ended.

use std::fmt;

use super::frame::Violation;
use super::handshake::Refused;
use crate::error::Error;

/// Why a link's session ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkEnd {
    /// It was closed here, or its node or its runtime was, or nothing held it any more.
    Closed,
    /// The peer closed it, or its node.
    ClosedByPeer,
    /// No connection could be had again within the time that a session outlives one.
    Lost,
    /// The peer does not know the session any more: it was restarted, or has given up waiting.
    Forgotten,
    /// The peer refused another connection.
    Refused(Refused),
    /// The peer broke the protocol, or a bound.
    Violation(Violation),
    /// The peer says that this side did.
    Accused(Violation),
}

impl fmt::Display for LinkEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("it was closed"),
            Self::ClosedByPeer => f.write_str("the peer closed it"),
            Self::Lost => f.write_str("the connection was lost"),
            Self::Forgotten => f.write_str("the peer does not know the session any more"),
            Self::Refused(refused) => refused.fmt(f),
            Self::Violation(violation) => write!(f, "the peer broke the protocol: {violation}"),
            Self::Accused(violation) => write!(f, "the peer reports: {violation}"),
        }
    }
}

impl std::error::Error for LinkEnd {}

impl From<LinkEnd> for Error {
    fn from(error: LinkEnd) -> Self {
        Self::new(error)
    }
}
