//! Certificates for one test, and whoever signs them.

use greenroom::remote::{Tls, TlsBuilder};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};

/// Signs certificates.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
}

/// A certificate and its key.
pub(super) struct Certified {
    pub(super) chain: String,
    pub(super) key: String,
}

impl Authority {
    pub(super) fn new() -> Self {
        Self::named("somebody")
    }

    pub(super) fn named(name: &str) -> Self {
        let key = KeyPair::generate().expect("there is randomness");
        let mut params = CertificateParams::new([]).expect("no name is malformed");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("the key signs");
        Self {
            issuer: Issuer::new(params, key),
            certificate,
        }
    }

    pub(super) fn roots(&self) -> String {
        self.certificate.pem()
    }

    pub(super) fn certify(&self, name: &str) -> Certified {
        self.certify_until(name, 4000)
    }

    /// Valid until that year begins.
    pub(super) fn certify_until(&self, name: &str, year: i32) -> Certified {
        let key = KeyPair::generate().expect("there is randomness");
        let mut params = CertificateParams::new([name.to_owned()]).expect("it is a name");
        params.not_after = date_time_ymd(year, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer);
        Certified {
            chain: certificate.expect("the key signs").pem(),
            key: key.serialize_pem(),
        }
    }
}

impl Certified {
    pub(super) fn tls(&self) -> TlsBuilder {
        Tls::builder().certificate(&self.chain, &self.key)
    }
}
