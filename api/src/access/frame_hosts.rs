//! Which hosts may be shown in frames, and how they are reached: by names that are allowed, at addresses outside of this network.

use std::collections::BTreeSet;
use std::io;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use public_hosts::{PublicHosts, SendError};
use thiserror::Error;
use url::{Host, Url};

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
    /// It does not answer.
    #[error(transparent)]
    Send(#[from] SendError),
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

    /// Sends a request to an address that was checked; an address within this network is not connected to.
    pub async fn send(
        &self,
        request: hyper::Request<Full<Bytes>>,
    ) -> Result<hyper::Response<Incoming>, FrameHostError> {
        let hosts = PublicHosts {
            allow_private: self.allow_private,
        };
        Ok(hosts.client()?.send(request).await?)
    }
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
}
