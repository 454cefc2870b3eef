//! Who is at the other end of a session.

use std::fmt;
use std::sync::Arc;

/// Who a peer is, as its connection has shown. Exports can be for some of them alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Peer {
    /// One that has shown the token of that name ([`NodeBuilder::accept`](super::NodeBuilder)).
    Named(Arc<str>),
    /// One that has shown a certificate with that name, signed by whom this node trusts with names
    /// (`TlsBuilder::clients`, of the feature `remote-tls`).
    Certified(Arc<str>),
    /// One that has shown this node's own token.
    Trusted,
    /// A process of the same user, as the kernel says, that has shown no token.
    User,
    /// One that has shown nothing: in this process, or where the node is insecure.
    Unknown,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) | Self::Certified(name) => f.write_str(name),
            Self::Trusted => f.write_str("a peer with the same token"),
            Self::User => f.write_str("a process of the same user"),
            Self::Unknown => f.write_str("a peer without a token"),
        }
    }
}
