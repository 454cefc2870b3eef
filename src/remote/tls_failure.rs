//! Why two nodes did not come to an encrypted connection.

use std::fmt;

/// Why a connection could not be encrypted, or was not to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TlsFailure {
    /// The peer's certificate has expired, or is not valid yet.
    Expired,
    /// The peer's certificate is signed by nobody whom this node trusts.
    UnknownIssuer,
    /// The peer's certificate is another one's.
    WrongName,
    /// The peer's certificate is not acceptable for another reason.
    Certificate,
    /// The peer demands a certificate, and this node has none.
    CertificateRequired,
    /// The peer does not accept this node's certificate.
    Rejected,
    /// The peer answered in something else than TLS, or hung up.
    NotTls,
    /// The peer speaks TLS, and this node was not told to.
    IsTls,
    /// The peer agrees to no version, cipher or protocol that this node has, or breaks TLS.
    Protocol,
}

impl fmt::Display for TlsFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "the peer's certificate is not valid at this time",
            Self::UnknownIssuer => "the peer's certificate is signed by nobody who is trusted",
            Self::WrongName => "the peer's certificate is for another name",
            Self::Certificate => "the peer's certificate is not acceptable",
            Self::CertificateRequired => "the peer demands a certificate",
            Self::Rejected => "the peer does not accept the certificate",
            Self::NotTls => "the peer does not speak tls, or has hung up",
            Self::IsTls => "the peer speaks tls",
            Self::Protocol => "the peer agrees to no way of encryption",
        })
    }
}

impl std::error::Error for TlsFailure {}
