//! HTTP to the service of a bucket: the client that the rest of Vigie speaks with, too.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector as StoreConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpService,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// One request with its answer.
const REQUEST_LIMIT: Duration = Duration::from_mins(1);
/// More than the largest file has when it is packed, and than a list of a thousand names.
const LARGEST_ANSWER: usize = 80 << 20;

/// Sends requests. Clones share its connections.
#[derive(Clone, Debug)]
pub(super) struct Transport(Client<HttpsConnector<HttpConnector>, HttpRequestBody>);

impl Transport {
    /// Trusts these authorities (PEM), else those of the system, which are not read for a service without TLS (`is_plain`). Connects to nothing yet; the
    /// error says what is wrong with the authorities.
    pub(super) fn new(authorities: Option<&[u8]>, is_plain: bool) -> Result<Self, String> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT_LIMIT));
        let builder = HttpsConnectorBuilder::new();
        let builder = match authorities {
            Some(authorities) => builder.with_tls_config(trusting(trusted(authorities)?)),
            None if is_plain => builder.with_tls_config(trusting(RootCertStore::empty())),
            None => builder
                .with_native_roots()
                .map_err(|error| format!("the certificates of the system: {error}"))?,
        };
        let connector = builder.https_or_http().enable_http1().wrap_connector(connector);
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector)))
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.request(request).await.map_err(|error| {
            let kind = if error.is_connect() {
                HttpErrorKind::Connect
            } else {
                HttpErrorKind::Interrupted
            };
            HttpError::new(kind, error)
        })?;
        let (parts, body) = response.into_parts();
        let whole = Limited::new(body, LARGEST_ANSWER)
            .collect()
            .await
            .map_err(|error| HttpError::new_boxed(HttpErrorKind::Interrupted, error))?;
        Ok(HttpResponse::from_parts(parts, Bytes::into(whole.to_bytes())))
    }
}

#[async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        timeout(REQUEST_LIMIT, self.exchange(request))
            .await
            .unwrap_or_else(|late| Err(HttpError::new(HttpErrorKind::Timeout, late)))
    }
}

impl StoreConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// A TLS client that trusts these authorities and shows no certificate of its own.
fn trusting(roots: RootCertStore) -> ClientConfig {
    ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// The certificate authorities in a PEM text.
fn trusted(authorities: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authorities) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() {
        return Err("there is no certificate among the authorities".to_owned());
    }
    Ok(roots)
}
