//! From a connection to an encrypted one.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{AlertDescription, CertificateError, Error};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use webpki::EndEntityCert;

use super::super::limits::TLS_FAREWELL_BYTES;
use super::super::tls_failure::TlsFailure;
use super::super::transport::{Address, Connection, Stream};
use super::Tls;
use super::builder::server_name;

impl Tls {
    /// The side that accepts. Who shows a certificate that is demanded is known by it then.
    pub(in crate::remote) async fn accept(&self, mut from: Connection) -> io::Result<Connection> {
        let config = self.server.clone().expect("only a node that accepts asks");
        let accepting = TlsAcceptor::from(config).accept(from.stream);
        let stream = match accepting.into_fallible().await {
            Ok(stream) => stream,
            Err((error, mut plain)) => {
                // What the peer still says is read, so that it gets to hear why.
                drop(plain.shutdown().await);
                let mut rest = (&mut plain).take(TLS_FAREWELL_BYTES);
                drop(tokio::io::copy(&mut rest, &mut tokio::io::sink()).await);
                return Err(error);
            }
        };
        let shown = stream.get_ref().1.peer_certificates();
        if let Some(certificate) = shown.and_then(<[_]>::first) {
            let name = name_in(certificate).ok_or_else(nameless)?;
            from.certified = Some(name);
        }
        from.stream = Box::new(stream);
        Ok(from)
    }

    /// The side that has connected.
    pub(in crate::remote) async fn connect(
        &self,
        mut from: Connection,
        address: &Address,
    ) -> io::Result<Connection> {
        let config = self.client.clone().expect("only a node that connects asks");
        let name = match &self.server_name {
            Some(name) => name.clone(),
            None => server_name(host(&address.to_string()).to_owned())
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?,
        };
        let connecting = TlsConnector::from(config).connect(name, from.stream);
        let stream = connecting.await.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => io::Error::new(error.kind(), TlsFailure::NotTls),
            _ => error,
        })?;
        from.stream = Box::new(stream) as Box<dyn Stream>;
        Ok(from)
    }
}

/// The host of an address, without its port, and without the brackets of those of version six.
fn host(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inner.unwrap_or(host)
}

/// What the owner of a certificate is called.
fn name_in(certificate: &CertificateDer<'_>) -> Option<Arc<str>> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let name = certificate.valid_dns_names().next();
    name.or_else(|| certificate.valid_uri_names().next())
        .map(Arc::from)
}

fn nameless() -> io::Error {
    let text = "the peer's certificate has no name";
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

/// What an error is about, if that is encryption.
pub(in crate::remote) fn failure(error: &io::Error) -> Option<TlsFailure> {
    let error = error.get_ref()?.downcast_ref::<Error>()?;
    Some(match error {
        Error::InvalidCertificate(error) => of_certificate(error),
        Error::AlertReceived(alert) => of_alert(*alert),
        Error::InvalidMessage(_) => TlsFailure::NotTls,
        _ => TlsFailure::Protocol,
    })
}

fn of_certificate(error: &CertificateError) -> TlsFailure {
    match error {
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => TlsFailure::Expired,
        // The second is of an issuer that only has the name of one who is trusted.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            TlsFailure::UnknownIssuer
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFailure::WrongName
        }
        _ => TlsFailure::Certificate,
    }
}

fn of_alert(alert: AlertDescription) -> TlsFailure {
    match alert {
        AlertDescription::CertificateRequired => TlsFailure::CertificateRequired,
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA
        | AlertDescription::AccessDenied
        | AlertDescription::DecryptError => TlsFailure::Rejected,
        _ => TlsFailure::Protocol,
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_of_an_address_is_what_stands_before_its_port() {
        assert_eq!(host("counter.internal:4000"), "counter.internal");
        assert_eq!(host("127.0.0.1:4000"), "127.0.0.1");
        assert_eq!(host("[::1]:4000"), "::1");
        assert_eq!(host("nobody"), "nobody");
    }
}
