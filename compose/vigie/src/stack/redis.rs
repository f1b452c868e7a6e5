//! The private Redis.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use nix::sys::signal::Signal;
use thiserror::Error;

use super::data_folder::DataFolder;
use super::postgres::write_secret;
use crate::programs;
use crate::supervisor::{Launch, Part, Ready};

/// Why the private Redis cannot start.
#[derive(Debug, Error)]
pub enum RedisError {
    /// The program is not installed.
    #[error(
        "redis-server was not found. Install it (Debian and Ubuntu: apt-get install redis-server), or use a server with VIGIE__REDIS__URL"
    )]
    Missing,
    /// A file could not be written.
    #[error("the private Redis cannot be kept: {0}")]
    Files(#[from] io::Error),
}

/// Returns the part that runs Redis on `address`, and its URL for clients. Replaces its configuration file, generates its password at the first call,
/// and starts nothing. Redis keeps nothing over a restart: losing it loses nothing. Fails when no `redis-server` is installed or a file cannot be
/// written.
pub fn server(address: SocketAddr, data: &DataFolder) -> Result<(Part, String), RedisError> {
    let program = programs::find("redis-server").ok_or(RedisError::Missing)?;
    let password = data.password("redis")?;
    let folder = data.for_part("redis")?;
    let configuration = folder.join("redis.conf");
    // In a file, because every user of the machine can read arguments.
    write_secret(
        &configuration,
        &format!(
            "bind {}\nport {}\nrequirepass {password}\nsave \"\"\nappendonly no\nmaxmemory 256mb\nmaxmemory-policy volatile-lru\n",
            address.ip(),
            address.port()
        ),
    )?;
    let part = Part {
        name: "Redis",
        launch: Launch {
            program,
            arguments: vec![configuration.into()],
            environment: Vec::new(),
            folder: Some(folder),
            log: data.log("redis"),
        },
        ready: Ready::Port(address),
        end: Signal::SIGTERM,
        grace: Duration::from_secs(3),
    };
    Ok((part, format!("redis://:{password}@{address}")))
}
