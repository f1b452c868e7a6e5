use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use crate::Error;

/// Settings of a server.
#[derive(Clone)]
pub struct Settings {
    /// chDB's shared library, `libchdb.so`.
    pub library: PathBuf,
    /// The folder that holds the data; created when missing, owned by one process at a time, and made the process's working directory (the
    /// engine reads `./config.xml`).
    pub data: PathBuf,
    /// Where to listen; loopback only. Port 0 takes a free port.
    pub listen: SocketAddr,
    /// The user name that requests carry.
    pub user: String,
    /// The password that every request but `/ping` must carry.
    pub secret: String,
    /// The database of requests that name none; created at start.
    pub database: String,
    /// Bytes of memory for the whole engine; beyond that, queries fail with code 241.
    pub max_memory: u64,
    /// Bytes of memory for one query, unless the request sets `max_memory_usage`.
    pub max_query_memory: u64,
    /// Statements running at the same time; beyond that, requests fail with code 202.
    pub max_concurrent: u32,
}

impl Settings {
    /// The user that official clients send by default.
    pub const DEFAULT_USER: &str = "default";
    /// The database created at start.
    pub const DEFAULT_DATABASE: &str = "vigie";
    /// Default of [`Self::max_memory`]: 4 GiB.
    pub const DEFAULT_MAX_MEMORY: u64 = 4 << 30;
    /// Default of [`Self::max_query_memory`]: 2 GiB.
    pub const DEFAULT_MAX_QUERY_MEMORY: u64 = 2 << 30;
    /// Default of [`Self::max_concurrent`].
    pub const DEFAULT_MAX_CONCURRENT: u32 = 64;
    /// Lowest usable [`Self::max_memory`]: below it the engine cannot even create its own tables.
    pub const LEAST_MEMORY: u64 = 256 << 20;

    /// Settings with this library, data folder and secret, the password of the default user; listens on a free port of 127.0.0.1, the rest are
    /// defaults.
    pub fn new(library: impl Into<PathBuf>, data: impl Into<PathBuf>, secret: impl Into<String>) -> Self {
        Self {
            library: library.into(),
            data: data.into(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            user: Self::DEFAULT_USER.to_owned(),
            secret: secret.into(),
            database: Self::DEFAULT_DATABASE.to_owned(),
            max_memory: Self::DEFAULT_MAX_MEMORY,
            max_query_memory: Self::DEFAULT_MAX_QUERY_MEMORY,
            max_concurrent: Self::DEFAULT_MAX_CONCURRENT,
        }
    }

    /// Fails when a setting is unusable: an address that is not loopback, an empty secret, a reserved database name, or a limit too low.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !self.listen.ip().is_loopback() {
            return Err(Error::NotLoopback(self.listen));
        }
        if self.secret.is_empty() {
            return Err(Error::NoSecret);
        }
        if self.database.is_empty() || self.database == "default" || self.database == "system" {
            return Err(Error::Setting {
                name: "database",
                reason: "must be a name of its own, such as vigie",
            });
        }
        if self.max_memory < Self::LEAST_MEMORY {
            return Err(Error::Setting {
                name: "max_memory",
                reason: "must be 268435456 bytes (256 MiB) or more",
            });
        }
        if self.max_query_memory == 0 || self.max_concurrent == 0 {
            return Err(Error::Setting {
                name: "max_query_memory and max_concurrent",
                reason: "must be 1 or more",
            });
        }
        Ok(())
    }
}

impl fmt::Debug for Settings {
    /// Writes neither user nor secret nor limits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("library", &self.library)
            .field("data", &self.data)
            .field("listen", &self.listen)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::Error;

    #[test]
    fn refuses_an_address_that_others_reach() {
        let mut settings = Settings::new("libchdb.so", "data", "secret");
        settings.listen = ([0, 0, 0, 0], 8123).into();
        assert!(matches!(settings.check(), Err(Error::NotLoopback(_))));
    }

    #[test]
    fn refuses_an_empty_secret() {
        assert!(matches!(
            Settings::new("libchdb.so", "data", "").check(),
            Err(Error::NoSecret)
        ));
    }

    #[test]
    fn keeps_the_secret_out_of_its_debug_text() {
        let text = format!("{:?}", Settings::new("libchdb.so", "data", "hush-hush"));
        assert!(!text.contains("hush-hush"), "{text}");
    }
}
