//! The HTTP server, and the limits of what it shows.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The HTTP server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Api {
    /// Address of the web client and the API.
    pub listen: SocketAddr,
    /// Address of `/metrics` and the health checks, kept apart from users.
    pub operations_listen: SocketAddr,
    /// The address users type, for links in e-mails.
    pub public_url: Url,
    /// The certificate chain, in PEM; with `tls_key` the server speaks HTTPS.
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    pub tls_key: Option<PathBuf>,
    /// Seconds after which a request is given up. The web client gives up at 60.
    pub timeout_seconds: u64,
    /// Largest body of a JSON or form request, in bytes.
    pub max_body_bytes: usize,
    /// Whether failed logins are throttled (decision D22).
    pub login_throttle: bool,
    /// Whether administrators need a second factor: without one they set it up at their next sign-in, and their sessions and API keys open nothing.
    pub second_factor_of_administrators: bool,
    /// Hours without a request after which a session ends early; 0: never.
    pub session_idle_hours: u32,
    /// Megabytes of uploaded files that a user may hold.
    pub upload_megabytes_per_user: u32,
    /// Megabytes of uploaded files that the users of a company account may hold together.
    pub upload_megabytes_per_company: u32,
    /// Captures that a user may start by hand in an hour.
    pub runs_by_hand_per_hour: u32,
    /// Addresses of proxies whose `X-Forwarded-For` is believed, as in `["10.0.0.0/8", "192.0.2.1"]`. The header of any other client is
    /// ignored.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Open connections at most; further ones are closed at once. Each needs a file descriptor.
    pub max_connections: usize,
}

impl Api {
    /// How long a session may go without a request; `None` when it ends only at the end of its life.
    pub fn session_idle(&self) -> Option<chrono::TimeDelta> {
        (self.session_idle_hours > 0).then(|| chrono::TimeDelta::hours(self.session_idle_hours.into()))
    }

    /// Whether users reach the site over TLS: the server has a certificate, or the public address is `https`.
    pub fn is_secure(&self) -> bool {
        self.tls_certificate.is_some() || self.public_url.scheme() == "https"
    }

    /// Whether other machines reach the site: it listens beyond the loopback interface, or its public address is neither `localhost` (or a name below
    /// it) nor a loopback address.
    pub fn is_exposed(&self) -> bool {
        let published = match self.public_url.host() {
            Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => !address.is_loopback(),
            Some(Host::Ipv6(address)) => !address.is_loopback(),
            None => false,
        };
        published || !self.listen.ip().is_loopback()
    }
}

impl Default for Api {
    /// Plain HTTP on the loopback interface only, with no trusted proxy and throttled logins.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            operations_listen: SocketAddr::from(([127, 0, 0, 1], 8081)),
            public_url: Url::parse("http://localhost:8080").expect("a constant address"),
            tls_certificate: None,
            tls_key: None,
            timeout_seconds: 58,
            max_body_bytes: 1 << 20,
            login_throttle: true,
            second_factor_of_administrators: false,
            session_idle_hours: 7 * 24,
            upload_megabytes_per_user: 200,
            upload_megabytes_per_company: 2_000,
            runs_by_hand_per_hour: 100,
            trusted_proxies: Vec::new(),
            max_connections: 4_096,
        }
    }
}

/// A proxy or a network of them, written `192.0.2.1` or `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TrustedProxy(IpNet);

impl TrustedProxy {
    /// Whether this address belongs to the proxy or network. An IPv4 address mapped into IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl TryFrom<String> for TrustedProxy {
    type Error = String;

    /// Reads an IP address or a network, as in `192.0.2.1` or `10.0.0.0/8`. The error is a message that repeats the text.
    fn try_from(text: String) -> Result<Self, String> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network
            .map(Self)
            .map_err(|_| format!("'{text}' is no address or network: write 192.0.2.1 or 10.0.0.0/8"))
    }
}

impl From<TrustedProxy> for String {
    fn from(proxy: TrustedProxy) -> Self {
        proxy.0.to_string()
    }
}

/// Limits of the monitoring screens.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Monitoring {
    /// The brand an administrator's list starts with; absent: the validated brand with most views (decision D73).
    pub default_brand_id: Option<i32>,
    /// Rows of a file at most (decision D57).
    pub most_exported_rows: u32,
}

impl Default for Monitoring {
    fn default() -> Self {
        Self {
            default_brand_id: None,
            most_exported_rows: 2_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_exposed_where_it_listens_or_is_published_beyond_this_machine() {
        let api = |listen: &str, public: &str| Api {
            listen: listen.parse().unwrap(),
            public_url: public.parse().unwrap(),
            ..Api::default()
        };
        assert!(!Api::default().is_exposed());
        assert!(!api("[::1]:80", "http://127.0.0.1").is_exposed());
        assert!(api("0.0.0.0:8080", "http://localhost:8080").is_exposed());
        assert!(api("127.0.0.1:8080", "https://vigie.example").is_exposed());
    }
}
