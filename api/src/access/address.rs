//! The address of a client.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use runtime::settings::TrustedProxy;

use crate::failure::ApiError;
use crate::state::ApiState;

/// What proxies add the address to that they were asked from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address that a request comes from: that of the connection, or what trusted proxies say of it.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<ApiState> for ClientAddress {
    type Rejection = ApiError;

    /// Extracts the address of the connection or, behind the trusted proxies of the settings, of the client that they name. Fails only without a
    /// connection.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let ConnectInfo(peer) = ConnectInfo::<SocketAddr>::from_request_parts(parts, state)
            .await
            .map_err(ApiError::internal)?;
        Ok(Self(client_behind_proxies(
            peer.ip(),
            &parts.headers,
            &state.settings.api.trusted_proxies,
        )))
    }
}

/// The address of the client behind trusted proxies: the header's hops are read from the right, and the first address that is no trusted proxy is the
/// client, else the last one read. Anybody may have written the hops left of that. A hop that is no address, or a line that is no text, ends the
/// search at the one before.
fn client_behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted: &[TrustedProxy]) -> IpAddr {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|proxy| proxy.contains(*address));
    let mut known = peer.to_canonical();
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    // A line that is no text is one hop, which is no address.
    let texts = lines.map(|line| line.to_str().unwrap_or_default());
    for hop in texts.flat_map(|line| line.rsplit(',')) {
        if !is_trusted(&known) {
            break;
        }
        let Some(before) = parse_hop(hop.trim()) else { break };
        known = before;
    }
    known
}

/// Parses a hop: an IPv4 or IPv6 address, with or without brackets and port. An IPv6 form of an IPv4 address becomes IPv4. `None` for anything else.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(hop);
    let address = bare
        .parse()
        .or_else(|_| hop.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client_address(peer: &str, forwarded: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "192.0.2.1"].map(|proxy| TrustedProxy::try_from(proxy.to_owned()).unwrap());
        let headers = forwarded
            .iter()
            .map(|line| {
                let line = HeaderValue::from_bytes(line.as_bytes()).unwrap();
                (FORWARDED_FOR.parse().unwrap(), line)
            })
            .collect();
        client_behind_proxies(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_client_that_is_no_trusted_proxy_says_nothing_about_itself() {
        assert_eq!(client_address("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client_address("203.0.113.9", &[]), "203.0.113.9");
    }

    #[test]
    fn behind_trusted_proxies_the_last_hop_that_none_of_them_is_counts() {
        assert_eq!(client_address("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(
            client_address("10.0.0.1", &["1.1.1.1, 198.51.100.1, 192.0.2.1"]),
            "198.51.100.1"
        );
        assert_eq!(
            client_address("::ffff:10.0.0.1", &["1.1.1.1", "198.51.100.1:4711"]),
            "198.51.100.1"
        );
        assert_eq!(client_address("10.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
    }

    #[test]
    fn what_cannot_be_read_ends_at_the_last_hop_that_could() {
        assert_eq!(client_address("10.0.0.1", &["198.51.100.1, unknown"]), "10.0.0.1");
        assert_eq!(client_address("10.0.0.1", &["unknown, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client_address("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client_address("10.0.0.1", &["198.51.100.1", "é"]), "10.0.0.1");
    }
}
