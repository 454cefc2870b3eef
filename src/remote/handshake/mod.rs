//! What two nodes say before the first frame: versions, who connects, and which session.
//!
//! Who connects sends a [`Hello`], who accepts answers by a [`Welcome`] or a [`Refused`], each in
//! one envelope: `GRNR`, the kind, the length of what follows. Both are read by length, so not one
//! byte of the frames behind them is taken, and nothing is allocated that the length did not allow.

mod envelope;
mod hello;
mod id;
mod welcome;

#[cfg(test)]
mod tests;

use bytes::{Buf, BufMut};

pub(super) use envelope::{PeerIsEncrypted, exchange, receive, send};
pub(super) use hello::{Hello, Wish};
pub(super) use id::RandomId;
pub use welcome::Refused;
pub(super) use welcome::Welcome;

/// The version of frames and records that this crate speaks.
pub(super) const VERSION: u16 = 1;

/// Most bytes of a session's terms: far more than they have.
const TERMS_BYTES_MAX: usize = 128;

fn put_terms(terms: &[u8], into: &mut Vec<u8>) {
    debug_assert!(terms.len() <= TERMS_BYTES_MAX);
    into.put_u8(u8::try_from(terms.len()).expect("terms are short"));
    into.put_slice(terms);
}

fn take_terms(from: &mut &[u8]) -> Option<Vec<u8>> {
    let length = usize::from(from.try_get_u8().ok()?);
    let terms = from.get(..length).filter(|_| length <= TERMS_BYTES_MAX)?;
    let terms = terms.to_vec();
    from.advance(length);
    Some(terms)
}
