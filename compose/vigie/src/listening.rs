//! The addresses that server processes listen on.

use std::net::{SocketAddr, TcpListener};

use thiserror::Error;

/// Most connections to an operations address; monitoring needs a few.
pub const OPERATIONS_CONNECTIONS: usize = 128;

/// An address cannot be listened on.
#[derive(Debug, Error)]
#[error("cannot listen on {address} ({reason}). Stop the program that holds it, or set {setting} to another address")]
pub struct ListenError {
    address: SocketAddr,
    reason: std::io::Error,
    setting: &'static str,
}

/// Binds an address, blocking; `setting` names where the address comes from, for the error.
pub fn listen(address: SocketAddr, setting: &'static str) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).map_err(|reason| ListenError {
        address,
        reason,
        setting,
    })
}
