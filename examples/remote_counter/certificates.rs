//! Certificates of the two halves, made by the one that serves.
//!
//! A program that others depend on gets its certificates from whoever runs it. These are made anew
//! by each server, and are good for nothing but its example.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use greenroom::remote::Tls;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// Makes a certificate for each half, keeps that of the server, and leaves the other's in the
/// folder, with whom to trust.
pub(crate) fn make(folder: &Path) -> io::Result<Tls> {
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let roots = params.self_signed(&key).map_err(io::Error::other)?.pem();
    let issuer = Issuer::new(params, key);
    let (server, server_key) = certify(&issuer, &["127.0.0.1", "::1", "localhost"])?;
    let (client, client_key) = certify(&issuer, &["remote-counter-client"])?;
    create_private(folder)?;
    for (name, text) in [
        ("roots.pem", &roots),
        ("client.pem", &client),
        ("client.key", &client_key),
    ] {
        write_private(&folder.join(name), text)?;
    }
    let tls = Tls::builder().certificate(server, server_key);
    tls.clients(roots).build().map_err(io::Error::other)
}

/// What [`make`] has left there.
pub(crate) fn find(folder: &Path) -> io::Result<Tls> {
    let read = |name| fs::read(folder.join(name));
    let tls = Tls::builder().certificate(read("client.pem")?, read("client.key")?);
    let tls = tls.roots(read("roots.pem")?).build();
    tls.map_err(io::Error::other)
}

fn certify(issuer: &Issuer<'_, KeyPair>, names: &[&str]) -> io::Result<(String, String)> {
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let params = CertificateParams::new(names).map_err(io::Error::other)?;
    let certificate = params.signed_by(&key, issuer).map_err(io::Error::other)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

/// A folder of one's own, in place of an earlier one; nobody can have put another there.
fn create_private(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A new file that nobody else reads.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
