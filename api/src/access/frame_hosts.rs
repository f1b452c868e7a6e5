//! Which hosts may be shown in frames, and how they are reached: by names that are allowed, at addresses outside of this network.

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use thiserror::Error;
use tower::Service;
use url::{Host, Url};

/// How long a host may take for the head of its answer.
const ANSWER_TIME: Duration = Duration::from_secs(15);

/// The hosts that may be shown.
#[derive(Clone, Debug, Default)]
pub struct FrameHosts {
    /// Their names, in lower case.
    pub allowed: BTreeSet<String>,
    /// Whether they may be in this network, and without TLS.
    pub allow_private: bool,
}

/// Why an address is not shown.
#[derive(Debug, Error)]
pub enum FrameHostError {
    /// It is no address of an allowed host: another host, scheme or port, or with a name and password in it.
    #[error("the address is not allowed")]
    NotAllowed,
    /// The certificates of the system cannot be read.
    #[error("the certificates of the system cannot be read: {0}")]
    Certificates(#[from] io::Error),
    /// The host does not answer, or only at an address within this network.
    #[error("the host does not answer: {0}")]
    Connect(#[from] hyper_util::client::legacy::Error),
    /// The host takes too long.
    #[error("the host did not answer within {} s", ANSWER_TIME.as_secs())]
    Slow,
}

/// The host and port of an address, as the header `Host` has them.
pub fn authority(address: &Url) -> String {
    let host = address.host_str().unwrap_or_default();
    address
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl FrameHosts {
    /// Checks that an address is one of an allowed host: by TLS on its usual port, and without name and password.
    pub fn allow(&self, address: &Url) -> Result<(), FrameHostError> {
        let is_plain = address.username().is_empty() && address.password().is_none();
        let is_safe = address.scheme() == "https" && address.port().is_none()
            || self.allow_private && matches!(address.scheme(), "https" | "http");
        let is_known = match address.host() {
            Some(Host::Domain(name)) => self.allowed.contains(name),
            Some(Host::Ipv4(ip)) => self.allow_private && self.allowed.contains(&ip.to_string()),
            Some(Host::Ipv6(_)) | None => false,
        };
        if is_plain && is_safe && is_known {
            Ok(())
        } else {
            Err(FrameHostError::NotAllowed)
        }
    }

    /// Sends a request to an address that was checked. Names are resolved once, by the connection itself, and an address within this network is not connected to:
    /// a name that changes its address in between gains nothing. Redirects are not followed.
    pub async fn send(
        &self,
        request: hyper::Request<Empty<Bytes>>,
    ) -> Result<hyper::Response<Incoming>, FrameHostError> {
        let mut connector = HttpConnector::new_with_resolver(PublicResolver {
            allow_private: self.allow_private,
        });
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build(connector);
        let sent = tokio::time::timeout(ANSWER_TIME, client.request(request));
        Ok(sent.await.map_err(|_| FrameHostError::Slow)??)
    }
}

/// Resolves names to addresses outside of this network.
#[derive(Clone)]
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

/// Whether an address is one of the public internet.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => {
            let embedded = ip.to_ipv4_mapped().or_else(|| embedded_v4(ip));
            embedded.map_or_else(|| is_public_v6(ip), is_public_v4)
        }
    }
}

/// Global unicast alone, without documentation.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [first, second, ..] = ip.segments();
    first & 0xe000 == 0x2000 && !(first == 0x2001 && second == 0x0db8)
}

/// The address that one of NAT64 or 6to4 leads to.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = ip.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        [0x64, 0xff9b, .., high, low] | [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_multicast()
        || ip.is_unspecified();
    // This network, shared by carriers, protocols, benchmarks, reserved.
    let is_kept =
        a == 0 || a == 100 && b & 0xc0 == 64 || a == 192 && b == 0 && c == 0 || a == 198 && b & 0xfe == 18 || a >= 240;
    !is_special && !is_kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> FrameHosts {
        FrameHosts {
            allowed: ["dashboards.example".to_owned()].into(),
            allow_private: false,
        }
    }

    #[test]
    fn only_allowed_hosts_by_tls_and_without_credentials() {
        for (address, is_allowed) in [
            ("https://dashboards.example/a?b", true),
            ("https://DASHBOARDS.example/", true),
            ("http://dashboards.example/", false),
            ("https://dashboards.example:8443/", false),
            ("https://user:secret@dashboards.example/", false),
            ("https://user@dashboards.example/", false),
            ("https://dashboards.example@evil.example/", false),
            ("https://evil.example/", false),
            ("https://dashboards.example.evil.example/", false),
            ("https://127.0.0.1/", false),
            ("https://[::1]/", false),
            ("ftp://dashboards.example/", false),
        ] {
            assert_eq!(
                hosts().allow(&Url::parse(address).unwrap()).is_ok(),
                is_allowed,
                "{address}"
            );
        }
    }

    #[test]
    fn addresses_of_networks_are_not_public() {
        for (address, public) in [
            ("8.8.8.8", true),
            ("2606:4700::1111", true),
            ("127.0.0.1", false),
            ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("0.0.0.0", false),
            ("198.18.0.1", false),
            ("255.255.255.255", false),
            ("::1", false),
            ("::ffff:10.0.0.1", false),
            ("64:ff9b::a00:1", false),
            ("2002:0a00:0001::", false),
            ("fd00::1", false),
            ("fe80::1", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_this_network_is_not_connected_to() {
        let mut resolver = PublicResolver { allow_private: false };
        let found = resolver.call("localhost".parse().unwrap()).await;
        assert_eq!(found.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}
