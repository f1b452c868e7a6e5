//! Allocates free ports and detects taken ones.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use thiserror::Error;

/// A configured address is not available.
#[derive(Debug, Error)]
#[error(
    "the {part} cannot listen on {address} ({reason}). Stop the program that holds it, or set {setting} to another {what}"
)]
pub struct PortTakenError {
    part: &'static str,
    address: SocketAddr,
    reason: std::io::Error,
    setting: &'static str,
    what: &'static str,
}

/// Addresses for all parts. Each is reserved until this is dropped, so that no two parts get the same one.
#[derive(Debug, Default)]
pub struct Ports(Vec<TcpListener>);

impl Ports {
    /// Binds a port on 127.0.0.1 (`set`, or a free one when `set` is 0), keeps it bound until `self` is dropped, and returns its address. Fails when
    /// it cannot be bound; `part` and `setting` are for the error.
    pub fn on_loopback(
        &mut self,
        part: &'static str,
        set: u16,
        setting: &'static str,
    ) -> Result<SocketAddr, PortTakenError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, set));
        self.reserve(address).map_err(|reason| PortTakenError {
            part,
            address,
            reason,
            setting,
            what: "port, or to 0 for a free one",
        })
    }

    /// Reserves and returns an address; the port 0 becomes a free one. Fails when it cannot be bound; `part` and `setting` are for the error.
    pub fn allocate(
        &mut self,
        part: &'static str,
        address: SocketAddr,
        setting: &'static str,
    ) -> Result<SocketAddr, PortTakenError> {
        self.reserve(address).map_err(|reason| PortTakenError {
            part,
            address,
            reason,
            setting,
            what: "address",
        })
    }

    /// Binds an address and keeps it bound until this is dropped; returns it with the port it got, if that was 0.
    fn reserve(&mut self, address: SocketAddr) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        self.0.push(listener);
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_port_that_is_held_and_names_its_setting() {
        let mut first = Ports::default();
        let port = first
            .on_loopback("Redis", 0, "VIGIE__EMBEDDED__REDIS_PORT")
            .unwrap()
            .port();
        assert_ne!(port, 0);
        let refused = Ports::default()
            .on_loopback("Redis", port, "VIGIE__EMBEDDED__REDIS_PORT")
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(&port.to_string()) && refused.contains("VIGIE__EMBEDDED__REDIS_PORT"),
            "{refused}"
        );
        drop(first);
        assert_eq!(Ports::default().on_loopback("Redis", port, "").unwrap().port(), port);
    }
}
