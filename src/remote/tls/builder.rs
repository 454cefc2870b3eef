//! Options of a node's encryption.

use std::fmt;
use std::sync::Arc;

use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, ServerConfig};

use super::{Tls, TlsError};

/// What both sides must mean to speak: bytes of another protocol's are of no use here.
const PROTOCOL: &[u8] = b"greenroom";

/// Options of a [`Tls`].
#[must_use = "it builds nothing until `build` is called"]
#[derive(Default)]
pub struct TlsBuilder {
    own: Option<(Vec<u8>, Vec<u8>)>,
    roots: Option<Vec<u8>>,
    clients: Option<Vec<u8>>,
    server_name: Option<String>,
}

impl TlsBuilder {
    /// Its own certificate, with those between it and a root behind it, and its private key, in
    /// PEM. It shows it to those who connect, and where it connects if that is asked for there.
    pub fn certificate(mut self, chain: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        self.own = Some((chain.as_ref().to_vec(), key.as_ref().to_vec()));
        self
    }

    /// The certificates, in PEM, one of which must have signed that of a node which this one
    /// connects to.
    pub fn roots(mut self, roots: impl AsRef<[u8]>) -> Self {
        self.roots = Some(roots.as_ref().to_vec());
        self
    }

    /// Demands a certificate of those who connect, which one of these, in PEM, must have signed.
    /// The peer is [known](super::super::Peer::Certified) by the first DNS name in it, else the
    /// first URI; without either it is not let in.
    pub fn clients(mut self, roots: impl AsRef<[u8]>) -> Self {
        self.clients = Some(roots.as_ref().to_vec());
        self
    }

    /// The name that the certificate of a node must be for which this one connects to; the host of
    /// the address unless said.
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    /// All of it.
    ///
    /// # Errors
    ///
    /// When a text has nothing in it that it should have, or a key is not the certificate's.
    pub fn build(self) -> Result<Tls, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let own = self.own.as_ref().map(|(chain, key)| own(chain, key));
        let own = own.transpose()?;
        let clients = self.clients.as_deref().map(store).transpose()?;
        let roots = self.roots.as_deref().map(store).transpose()?;
        let server_name = self.server_name.map(server_name).transpose()?;
        let demands_certificates = clients.is_some();
        if demands_certificates && own.is_none() {
            return Err(TlsError::NoServer);
        }
        let unusable = |error| TlsError::unusable(&error);
        let server = own
            .as_ref()
            .map(|own| server(&provider, own.copied(), clients));
        let client = roots.map(|roots| client(&provider, roots, own));
        Ok(Tls {
            server: server.transpose().map_err(unusable)?.map(Arc::new),
            client: client.transpose().map_err(unusable)?.map(Arc::new),
            demands_certificates,
            server_name,
        })
    }
}

struct Own {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Own {
    fn copied(&self) -> Self {
        Self {
            chain: self.chain.clone(),
            key: self.key.clone_key(),
        }
    }
}

fn own(chain: &[u8], key: &[u8]) -> Result<Own, TlsError> {
    let chain = certificates(chain)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::NoKey)?;
    Ok(Own { chain, key })
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let all = all.map_err(|_| TlsError::NoCertificate)?;
    match all.is_empty() {
        true => Err(TlsError::NoCertificate),
        false => Ok(all),
    }
}

fn store(pem: &[u8]) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(pem)? {
        let added = store.add(certificate);
        added.map_err(|error| TlsError::unusable(&error))?;
    }
    Ok(store)
}

pub(super) fn server_name(name: String) -> Result<ServerName<'static>, TlsError> {
    ServerName::try_from(name.clone()).map_err(|_| TlsError::Name(name))
}

fn server(
    provider: &Arc<CryptoProvider>,
    own: Own,
    clients: Option<RootCertStore>,
) -> Result<ServerConfig, rustls::Error> {
    let config = ServerConfig::builder_with_provider(provider.clone());
    let config = config.with_safe_default_protocol_versions()?;
    let config = match clients {
        None => config.with_no_client_auth(),
        Some(roots) => {
            let roots = Arc::new(roots);
            let verifier =
                WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build();
            let verifier = verifier.map_err(|error| rustls::Error::General(error.to_string()))?;
            config.with_client_cert_verifier(verifier)
        }
    };
    let mut config = config.with_single_cert(own.chain, own.key)?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn client(
    provider: &Arc<CryptoProvider>,
    roots: RootCertStore,
    own: Option<Own>,
) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(provider.clone());
    let config = config.with_safe_default_protocol_versions()?;
    let config = config.with_root_certificates(roots);
    let mut config = match own {
        None => config.with_no_client_auth(),
        Some(own) => config.with_client_auth_cert(own.chain, own.key)?,
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Keys are not printed.
impl fmt::Debug for TlsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsBuilder").finish_non_exhaustive()
    }
}
