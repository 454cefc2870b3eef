//! Payloads on their way out.

use bytes::Bytes;

/// A payload that is copied into the outgoing buffer, or shared from where it lies.
#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    /// Copied, unless it is large: for what was encoded into a scratch buffer.
    Copied(&'a [u8]),
    /// Shared, unless it is small.
    Shared(Bytes),
}

impl Body<'_> {
    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Copied(bytes) => Bytes::copy_from_slice(bytes),
            Self::Shared(bytes) => bytes,
        }
    }
}

impl<'a> From<&'a [u8]> for Body<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Copied(bytes)
    }
}

impl From<Bytes> for Body<'_> {
    fn from(bytes: Bytes) -> Self {
        Self::Shared(bytes)
    }
}
