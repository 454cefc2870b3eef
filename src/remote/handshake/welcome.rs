//! What who accepts answers.

use std::fmt;

use bytes::{Buf, BufMut};

use super::{RandomId, TERMS_BYTES_MAX, put_terms, take_terms};

/// A session to go on with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::remote) struct Welcome {
    pub(in crate::remote) version: u16,
    pub(in crate::remote) session: RandomId,
    /// How many of its peer's records the session has received: none, for a new one.
    pub(in crate::remote) received: u64,
    /// What a session takes from its peer, as that encodes it.
    pub(in crate::remote) terms: Vec<u8>,
}

/// Why a connection was refused. No more is said, least of all to those who guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The peer speaks no version that this node speaks.
    Version,
    /// No token was shown where one is needed, or it is not one of the peer's.
    Token,
    /// The session has ended, or is another's.
    Session,
    /// The peer has as many sessions, or connections, as it takes.
    Busy,
}

/// An answer to a [`Hello`](super::Hello).
pub(in crate::remote) type Answer = Result<Welcome, Refused>;

impl Refused {
    fn code(self) -> u8 {
        match self {
            Self::Version => 1,
            Self::Token => 2,
            Self::Session => 3,
            Self::Busy => 4,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        let all = [Self::Version, Self::Token, Self::Session, Self::Busy];
        all.into_iter().find(|refused| refused.code() == code)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Version => "the peer speaks another version",
            Self::Token => "the peer does not accept the token",
            Self::Session => "the peer knows no such session",
            Self::Busy => "the peer takes no more sessions",
        })
    }
}

const WELCOME: u8 = 0;

/// The kind of an answer's envelope.
pub(super) const KIND: u8 = 2;
/// Of what stands in it.
pub(super) const BYTES_MAX: usize = 1 + 2 + RandomId::BYTES + 8 + 1 + TERMS_BYTES_MAX;

pub(super) fn put(answer: &Answer, into: &mut Vec<u8>) {
    match answer {
        Ok(welcome) => {
            into.put_u8(WELCOME);
            into.put_u16_le(welcome.version);
            into.put_slice(welcome.session.as_bytes());
            into.put_u64_le(welcome.received);
            put_terms(&welcome.terms, into);
        }
        Err(refused) => into.put_u8(refused.code()),
    }
}

/// What [`put`] has put, and nothing besides; else `None`.
pub(super) fn take(mut from: &[u8]) -> Option<Answer> {
    let answer = match from.try_get_u8().ok()? {
        WELCOME => {
            let version = from.try_get_u16_le().ok()?;
            let mut session = [0; RandomId::BYTES];
            from.try_copy_to_slice(&mut session).ok()?;
            Ok(Welcome {
                version,
                session: RandomId::from_bytes(session),
                received: from.try_get_u64_le().ok()?,
                terms: take_terms(&mut from)?,
            })
        }
        code => Err(Refused::from_code(code)?),
    };
    from.is_empty().then_some(answer)
}
