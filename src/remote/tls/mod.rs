//! What a node encrypts with, and shows that it is who it is.
//!
//! TLS 1.3 alone, in the crate `rustls`. Neither early data nor resumption of TLS sessions is used:
//! the first can be played again, and the second would keep a certificate's rights past its end.
//! (Sessions of nodes are resumed all the same, over new connections whose peers have shown again
//! who they are.) A handshake has [`HANDSHAKE`](super::limits::HANDSHAKE) in all, and its messages
//! have 64 KiB each at most, as `rustls` bounds them. The end of a connection ends no session, so
//! one that is cut off without a word of TLS is taken for lost, and never for the peer's leave.

mod builder;
mod error;
mod handshake;

use std::fmt;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ServerConfig};

pub use builder::TlsBuilder;
pub use error::TlsError;
pub(super) use handshake::failure;

/// Certificates and keys of a node: for [`NodeBuilder::tls`](super::NodeBuilder::tls).
///
/// With a certificate of its own, a node encrypts the TCP connections that it accepts; with roots,
/// those that it opens. Both are in the text format of certificates, PEM.
///
/// ```
/// use greenroom::remote::{Node, Tls};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let made = rcgen::generate_simple_self_signed(vec!["counter.internal".to_owned()])?;
/// # let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
/// # let (roots, clients) = (certificate.clone(), certificate.clone());
/// let tls = Tls::builder()
///     .certificate(certificate, key) // shown to others
///     .clients(clients) // demands certificates of those who connect
///     .roots(roots) // whose certificates others must have, where this node connects
///     .build()?;
/// let node = Node::builder().tls(tls).build();
/// # drop(node);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Tls {
    server: Option<Arc<ServerConfig>>,
    client: Option<Arc<ClientConfig>>,
    demands_certificates: bool,
    server_name: Option<ServerName<'static>>,
}

impl Tls {
    /// One without certificates.
    pub fn builder() -> TlsBuilder {
        TlsBuilder::default()
    }

    /// Whether connections that are accepted are encrypted.
    pub(super) fn accepts(&self) -> bool {
        self.server.is_some()
    }

    /// Whether connections that are opened are encrypted.
    pub(super) fn connects(&self) -> bool {
        self.client.is_some()
    }

    /// Whether those who connect have to show certificates.
    pub(super) fn demands_certificates(&self) -> bool {
        self.demands_certificates
    }
}

/// Keys are not printed.
impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}
