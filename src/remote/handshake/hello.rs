//! What who connects says.

use bytes::{Buf, BufMut};

use super::{RandomId, TERMS_BYTES_MAX, VERSION, put_terms, take_terms};
use crate::remote::limits::TOKEN_BYTES_MAX;

/// Which session is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::remote) enum Wish {
    New,
    /// The session of a connection that was lost, of whose records so many were received.
    Resume {
        session: RandomId,
        received: u64,
    },
}

/// What who connects says: versions, the token, the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::remote) struct Hello {
    /// The oldest version that it speaks.
    pub(in crate::remote) oldest: u16,
    /// The newest one.
    pub(in crate::remote) newest: u16,
    pub(in crate::remote) wish: Wish,
    /// What a session takes from its peer, as that encodes it.
    pub(in crate::remote) terms: Vec<u8>,
    /// Empty for none.
    pub(in crate::remote) token: Vec<u8>,
}

const NEW: u8 = 0;
const RESUME: u8 = 1;

impl Hello {
    pub(in crate::remote) const KIND: u8 = 1;
    /// Of what stands in an envelope.
    pub(in crate::remote) const BYTES_MAX: usize =
        4 + 1 + RandomId::BYTES + 8 + 1 + TERMS_BYTES_MAX + 2 + TOKEN_BYTES_MAX;

    pub(in crate::remote) fn new(wish: Wish, terms: Vec<u8>, token: &[u8]) -> Self {
        Self {
            oldest: VERSION,
            newest: VERSION,
            wish,
            terms,
            token: token.to_vec(),
        }
    }

    pub(super) fn put(&self, into: &mut Vec<u8>) {
        into.put_u16_le(self.oldest);
        into.put_u16_le(self.newest);
        match self.wish {
            Wish::New => into.put_u8(NEW),
            Wish::Resume { session, received } => {
                into.put_u8(RESUME);
                into.put_slice(session.as_bytes());
                into.put_u64_le(received);
            }
        }
        put_terms(&self.terms, into);
        into.put_u16_le(u16::try_from(self.token.len()).expect("tokens are bounded"));
        into.put_slice(&self.token);
    }

    /// What [`Hello::put`] has put, and nothing besides; else `None`.
    pub(super) fn take(mut from: &[u8]) -> Option<Self> {
        let oldest = from.try_get_u16_le().ok()?;
        let newest = from.try_get_u16_le().ok()?;
        let wish = match from.try_get_u8().ok()? {
            NEW => Wish::New,
            RESUME => {
                let mut session = [0; RandomId::BYTES];
                from.try_copy_to_slice(&mut session).ok()?;
                Wish::Resume {
                    session: RandomId::from_bytes(session),
                    received: from.try_get_u64_le().ok()?,
                }
            }
            _ => return None,
        };
        let terms = take_terms(&mut from)?;
        let length = usize::from(from.try_get_u16_le().ok()?);
        let token = (from.len() == length && length <= TOKEN_BYTES_MAX).then(|| from.to_vec())?;
        Some(Self {
            oldest,
            newest,
            wish,
            terms,
            token,
        })
    }
}
