//! The parts that `vigie up` starts itself.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The parts that `vigie up` starts. A port of 0 means a free one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Embedded {
    /// `libchdb.so`; absent: the one that `make up` keeps in the cache.
    pub clickhouse_library: Option<PathBuf>,
    /// Folder of `initdb` and `postgres`; absent: the newest found.
    pub postgres_programs: Option<PathBuf>,
    /// Port of the private Postgres.
    pub postgres_port: u16,
    /// Memory in MiB that the private Postgres keeps tables in; absent: a share of the machine's.
    pub postgres_cache_mib: Option<u64>,
    /// Port of the private Redis.
    pub redis_port: u16,
    /// Port of the embedded ClickHouse.
    pub clickhouse_port: u16,
    /// Port of the simulated search engine.
    pub simulator_port: u16,
    /// Port of the simulated Google.
    pub google_port: u16,
    /// Address on which the mail catcher listens.
    pub mail_address: IpAddr,
    /// Port on which the mail catcher takes mails.
    pub mail_port: u16,
    /// Port of the page that shows the mails caught.
    pub mail_page_port: u16,
    /// Ad results of the demo data loaded at the first start; 0 loads none.
    pub demo_rows: u64,
    /// The unprivileged system user that runs the parts when started as root.
    pub user: String,
    /// The unprivileged system user that runs the browsers when started as root.
    pub browser_user: String,
}

impl Default for Embedded {
    /// Free ports, mails on the loopback interface, installed programs, and some demo data.
    fn default() -> Self {
        Self {
            clickhouse_library: None,
            postgres_programs: None,
            postgres_port: 0,
            postgres_cache_mib: None,
            redis_port: 0,
            clickhouse_port: 0,
            simulator_port: 0,
            google_port: 0,
            mail_address: IpAddr::from([127, 0, 0, 1]),
            mail_port: 0,
            mail_page_port: 0,
            demo_rows: 100_000,
            user: "vigie".to_owned(),
            browser_user: "vigie-browser".to_owned(),
        }
    }
}
