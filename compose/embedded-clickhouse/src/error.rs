use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the server did not start or end properly.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library is missing or not chDB's.
    #[error(
        "cannot load the chDB library {path}: {source}; fetch it with compose/embedded-clickhouse/fetch-library.sh and set its path"
    )]
    Library {
        /// The file that was tried.
        path: PathBuf,
        /// The loader's error.
        source: libloading::Error,
    },
    /// The data folder cannot be created or entered.
    #[error("cannot use the data folder {path}: {source}; it must be writable by the user who runs the server")]
    Data {
        /// The folder that was tried.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The engine refuses the data folder.
    #[error(
        "the engine does not start on {path}: another process may own it, or its files are damaged; the lines above on standard error say which"
    )]
    Refused {
        /// Path of the data folder.
        path: PathBuf,
    },
    /// The engine started but failed its first statement.
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
        /// Name of the setting.
        name: &'static str,
        /// What is wrong with it and what to set instead.
        reason: &'static str,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; set another address, or port 0 for any free one")]
    Listen {
        /// The address that was tried.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// Signals cannot be handled, or connections cannot be accepted.
    #[error("the server cannot go on: {0}")]
    Serve(#[source] io::Error),
}
