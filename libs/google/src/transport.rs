//! HTTP with TLS: one client, its limits.

use std::time::Duration;

use http::HeaderMap;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

use crate::GoogleError;

const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long a call may take, its body included.
const CALL_TIME: Duration = Duration::from_mins(1);

/// Sends requests. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Transport(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

/// An answer, read whole.
pub struct Received {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// Why there is no answer.
pub enum TransportError {
    /// Nothing was sent.
    NotSent(String),
    /// The request may have arrived.
    Lost(String),
    /// The body is longer than allowed.
    TooLong,
}

impl Transport {
    /// Reads the certificates of the system; connects to nothing yet.
    pub fn new() -> Result<Self, GoogleError> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT_TIME));
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()
            .map_err(|error| GoogleError::Unreachable(format!("the certificates of the system: {error}")))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector)))
    }

    /// Sends a request and reads at most `most` bytes of its answer.
    pub async fn send(&self, request: http::Request<Vec<u8>>, most: usize) -> Result<Received, TransportError> {
        timeout(
            CALL_TIME,
            self.exchange(request.map(|body| Full::new(body.into())), most),
        )
        .await
        .unwrap_or_else(|_| {
            let text = format!("no answer within {} s", CALL_TIME.as_secs());
            Err(TransportError::Lost(text))
        })
    }

    async fn exchange(&self, request: http::Request<Full<Bytes>>, most: usize) -> Result<Received, TransportError> {
        let response = self.0.request(request).await.map_err(|error| {
            let text = in_full(&error);
            if error.is_connect() {
                TransportError::NotSent(text)
            } else {
                TransportError::Lost(text)
            }
        })?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, most).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                TransportError::TooLong
            } else {
                TransportError::Lost(in_full(error.as_ref()))
            }
        })?;
        Ok(Received {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.to_bytes().into(),
        })
    }
}

/// An error with its causes.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
