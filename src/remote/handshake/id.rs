//! Ids that cannot be guessed.

use std::fmt;

/// 128 random bits: of a session, or of a node's incarnation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::remote) struct RandomId([u8; Self::BYTES]);

impl RandomId {
    pub(in crate::remote) const BYTES: usize = 16;

    /// A new one.
    ///
    /// # Errors
    ///
    /// When the operating system gives no randomness.
    pub(in crate::remote) fn new() -> std::io::Result<Self> {
        let mut bytes = [0; Self::BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    pub(in crate::remote) fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub(in crate::remote) fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// A session's id is a right: it is not printed.
impl fmt::Debug for RandomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RandomId(..)")
    }
}
