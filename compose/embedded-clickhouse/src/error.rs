use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the server does not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library is missing, or is not chDB's.
    #[error(
        "cannot load the chDB library {path}: {source}; fetch it with compose/embedded-clickhouse/fetch-library.sh and set its path"
    )]
    Library {
        /// The file that was tried.
        path: PathBuf,
        /// What the loader says.
        source: libloading::Error,
    },
    /// The data folder cannot be made or entered.
    #[error("cannot use the data folder {path}: {source}; it must be writable by the user who runs the server")]
    Data {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The engine does not start on the data folder.
    #[error(
        "the engine does not start on {path}: another process may own it, or its files are damaged; the lines above on standard error say which"
    )]
    Refused {
        /// The data folder.
        path: PathBuf,
    },
    /// The engine started and then failed a first statement.
    #[error("the engine fails while it gets ready: {0}")]
    Prepare(String),
    /// The address is reachable from other machines.
    #[error("{0} is not a loopback address; the embedded engine can read files, so listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The password is empty.
    #[error("the secret is empty; set a password that every request must carry")]
    NoSecret,
    /// A name or limit is not usable.
    #[error("{name} {reason}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; set another address, or port 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Signals cannot be waited for, or connections cannot be accepted.
    #[error("the server cannot go on: {0}")]
    Serve(#[source] io::Error),
}
