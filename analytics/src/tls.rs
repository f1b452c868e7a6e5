//! TLS to the store, and the authorities it is trusted by.

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use crate::Error;

/// Wraps the connector so that it reaches `https` addresses by TLS and `http` ones without. It trusts these authorities (PEM), which are read even if
/// `address` is `http`, else those of the system. [`Error::Authorities`] if certificates cannot be used.
pub(crate) fn encrypting(
    mut connector: HttpConnector,
    address: &Url,
    authorities: Option<&[u8]>,
) -> Result<HttpsConnector<HttpConnector>, Error> {
    connector.enforce_http(false);
    let builder = HttpsConnectorBuilder::new();
    let builder = match authorities {
        None if address.scheme() == "https" => builder
            .with_native_roots()
            .map_err(|error| Error::Authorities(error.to_string()))?,
        None => builder.with_tls_config(config_trusting(RootCertStore::empty())),
        Some(authorities) => builder.with_tls_config(config_trusting(parse_roots(authorities)?)),
    };
    Ok(builder.https_or_http().enable_http1().wrap_connector(connector))
}

/// A TLS client that trusts these authorities and shows no certificate of its own.
fn config_trusting(roots: RootCertStore) -> ClientConfig {
    ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// The certificate authorities in a PEM text, at least one; an error without a certificate, or when any of them cannot be used.
fn parse_roots(authorities: &[u8]) -> Result<RootCertStore, Error> {
    let refuse = |error: &dyn std::fmt::Display| Error::Authorities(error.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authorities) {
        let certificate = certificate.map_err(|error| refuse(&error))?;
        roots.add(certificate).map_err(|error| refuse(&error))?;
    }
    if roots.is_empty() {
        return Err(refuse(&"there is no certificate in it"));
    }
    Ok(roots)
}
