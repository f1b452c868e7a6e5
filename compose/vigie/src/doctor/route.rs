//! Decides from a store's address whether traffic to it can be read on its way.

use url::{Host, Url};

/// Returns whether an address leads to another machine by a scheme that is not among `encrypted`; false for sockets, `localhost`, loopback addresses,
/// and what is no address. Looks up no names.
pub fn leads_out(address: &str, encrypted: &[&str]) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let is_here = match url.host() {
        // A socket on this machine.
        None => true,
        Some(Host::Domain(name)) => name.is_empty() || name == "localhost" || names_socket(&url),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
    };
    // Hosts of non-standard schemes are not parsed as addresses.
    let is_loopback = url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host.parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
    });
    !is_here && !is_loopback && !encrypted.contains(&url.scheme())
}

/// Returns whether an address of Postgres makes clients verify the server's certificate (`sslmode=verify-full` or `verify-ca`).
pub fn is_verified_postgres(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| {
        url.query_pairs().any(|(name, value)| {
            matches!(&*name, "sslmode" | "ssl-mode") && matches!(&*value, "verify-full" | "verify-ca")
        })
    })
}

/// Returns whether an address of Postgres names a socket on this machine.
fn names_socket(url: &Url) -> bool {
    url.query_pairs()
        .any(|(name, value)| name == "host" && value.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_other_machines_lead_out() {
        for here in [
            "postgres://u:p@localhost/d",
            "postgres://u:p@127.0.0.1:5432/d",
            "postgres://u@db/d?host=/run/postgresql",
            "redis://[::1]:6379",
            "redis+unix:///run/redis.sock",
            "http://127.0.0.1:8123",
        ] {
            assert!(!leads_out(here, &[]), "{here}");
        }
        assert!(leads_out("redis://cache.example", &["rediss"]));
        assert!(!leads_out("rediss://cache.example", &["rediss"]));
        assert!(leads_out("http://10.0.0.7:8123", &["https"]));
    }

    #[test]
    fn an_encrypted_connection_to_nobody_knows_whom_is_not_verified() {
        assert!(is_verified_postgres("postgres://u@db/d?sslmode=verify-full"));
        for other in ["postgres://u@db/d", "postgres://u@db/d?sslmode=require"] {
            assert!(!is_verified_postgres(other), "{other}");
        }
    }
}
