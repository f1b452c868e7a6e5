//! Requests to addresses that users name: they reach hosts of the public internet, and nothing within this network.

mod addresses;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use thiserror::Error;
use tower::Service;
use url::{Host, Url};

use addresses::is_public;

/// How long a host may take for the head of its answer.
const ANSWER_TIME: Duration = Duration::from_secs(15);

/// Which hosts are reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct PublicHosts {
    /// Whether hosts may be in this network, and without TLS.
    pub allow_private: bool,
}

/// Why a host did not answer.
#[derive(Debug, Error)]
pub enum SendError {
    /// The address names a host within this network, or none.
    #[error("the address is not one of the public internet")]
    NotPublic,
    /// The host does not answer, or only at an address within this network.
    #[error("the host does not answer: {0}")]
    Connect(#[from] hyper_util::client::legacy::Error),
    /// The host takes too long.
    #[error("the host did not answer within {} s", ANSWER_TIME.as_secs())]
    Slow,
}

impl PublicHosts {
    /// Whether an address may be asked: by TLS, without name and password, and not at an address of this network in figures. Where a name leads is seen
    /// by [`PublicClient::send`] alone.
    pub fn allows(self, address: &Url) -> bool {
        let is_plain = address.username().is_empty() && address.password().is_none();
        let is_safe = address.scheme() == "https" || self.allow_private && address.scheme() == "http";
        is_plain && is_safe && self.allows_host(address.host().as_ref())
    }

    fn allows_host<S>(self, host: Option<&Host<S>>) -> bool {
        match host {
            Some(Host::Domain(_)) => true,
            Some(Host::Ipv4(ip)) => self.allow_private || is_public((*ip).into()),
            Some(Host::Ipv6(ip)) => self.allow_private || is_public((*ip).into()),
            None => false,
        }
    }

    /// A client of these hosts, with the certificates of the system; connects to nothing yet.
    pub fn client(self) -> io::Result<PublicClient> {
        let mut connector = HttpConnector::new_with_resolver(PublicResolver {
            allow_private: self.allow_private,
        });
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(PublicClient {
            hosts: self,
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }
}

/// Sends requests to public hosts. Clones share connections.
#[derive(Clone, Debug)]
pub struct PublicClient {
    hosts: PublicHosts,
    client: Client<HttpsConnector<HttpConnector<PublicResolver>>, Full<Bytes>>,
}

impl PublicClient {
    /// The hosts that are reached.
    pub const fn hosts(&self) -> PublicHosts {
        self.hosts
    }

    /// Sends a request. Names are resolved by the connection itself, and an address within this network is not connected to: a name that changes its
    /// address in between gains nothing. Redirects are not followed. The time for the head of the answer is bounded; that for its body is the caller's.
    pub async fn send(&self, request: hyper::Request<Full<Bytes>>) -> Result<hyper::Response<Incoming>, SendError> {
        let host = request.uri().host().and_then(|host| Host::parse(host).ok());
        if !self.hosts.allows_host(host.as_ref()) {
            return Err(SendError::NotPublic);
        }
        let sent = tokio::time::timeout(ANSWER_TIME, self.client.request(request));
        Ok(sent.await.map_err(|_| SendError::Slow)??)
    }
}

/// Resolves names to addresses outside of this network.
#[derive(Clone, Debug)]
struct PublicResolver {
    allow_private: bool,
}

impl Service<Name> for PublicResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found
                .filter(|address| allow_private || is_public(address.ip()))
                .collect();
            if public.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "the host is within this network",
                ));
            }
            Ok(public.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_tls_without_credentials_and_not_this_network() {
        let hosts = PublicHosts { allow_private: false };
        for (address, is_allowed) in [
            ("https://hooks.example/a?b", true),
            ("https://hooks.example:8443/", true),
            ("https://8.8.8.8/", true),
            ("http://hooks.example/", false),
            ("https://user:secret@hooks.example/", false),
            ("https://127.0.0.1/", false),
            ("https://2130706433/", false),
            ("https://0x7f.1/", false),
            ("https://[::1]/", false),
            ("https://[::ffff:169.254.169.254]/", false),
            ("ftp://hooks.example/", false),
        ] {
            assert_eq!(hosts.allows(&Url::parse(address).unwrap()), is_allowed, "{address}");
        }
        let private = PublicHosts { allow_private: true };
        assert!(private.allows(&Url::parse("http://127.0.0.1:9000/").unwrap()));
    }

    #[tokio::test]
    async fn what_leads_into_this_network_is_not_connected_to() {
        let mut resolver = PublicResolver { allow_private: false };
        let found = resolver.call("localhost".parse().unwrap()).await;
        assert_eq!(found.unwrap_err().kind(), io::ErrorKind::PermissionDenied);

        let client = PublicHosts { allow_private: false }.client().unwrap();
        for address in ["http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost:1/"] {
            let request = hyper::Request::get(address).body(Full::default()).unwrap();
            let refused = client.send(request).await.unwrap_err();
            assert!(
                matches!(refused, SendError::NotPublic | SendError::Connect(_)),
                "{address}: {refused}"
            );
        }
    }
}
