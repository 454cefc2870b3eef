//! Certificates and keys that are none.

use std::fmt;

use tokio_rustls::rustls;

use crate::error::Error;

/// Certificates and keys that a node can't use.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TlsError {
    /// There is no certificate in the text that should have some.
    NoCertificate,
    /// There is no private key in the text that should have one.
    NoKey,
    /// No server has such a name.
    Name(String),
    /// Certificates are demanded of those who connect, and the node has none of its own.
    NoServer,
    /// Certificate and key don't fit each other, or are of a kind that is not known; why, in words.
    Unusable(String),
}

impl TlsError {
    pub(super) fn unusable(error: &rustls::Error) -> Self {
        Self::Unusable(error.to_string().to_lowercase())
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCertificate => f.write_str("the text has no certificate"),
            Self::NoKey => f.write_str("the text has no private key"),
            Self::Name(name) => write!(f, "no server has the name {name:?}"),
            Self::NoServer => f.write_str("who demands certificates needs one"),
            Self::Unusable(why) => write!(f, "the certificate can't be used: {why}"),
        }
    }
}

impl std::error::Error for TlsError {}

impl From<TlsError> for Error {
    fn from(error: TlsError) -> Self {
        Self::new(error)
    }
}
