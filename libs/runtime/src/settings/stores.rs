//! The stores: Postgres, Redis, ClickHouse and files, how they are trusted, and how long they keep data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::Secret;

/// The relational store, Postgres.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Postgres {
    /// `postgres://user:password@host/database`, beyond this machine with `?sslmode=verify-full`; absent: `vigie up` starts a private cluster.
    pub url: Option<Secret>,
    /// The address of the server itself, where `url` is that of a pooler in transaction mode (PgBouncer 1.21 or later): migrations, locks of jobs, what
    /// processes tell each other and backups need connections that last.
    pub direct_url: Option<Secret>,
    /// Connections a process may hold.
    pub max_connections: u32,
}

impl Default for Postgres {
    fn default() -> Self {
        Self {
            url: None,
            direct_url: None,
            max_connections: 16,
        }
    }
}

/// The store of rate limits, throttles and live events. Losing it loses no data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Redis {
    /// `redis://host:port`, or `rediss://` with TLS; absent: `vigie up` starts one.
    pub url: Option<Secret>,
}

/// The store of ad results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ClickHouse {
    /// `http` or `https` address of a server or cluster; absent: `vigie up` starts the embedded engine.
    pub url: Option<Url>,
    /// The name of the user.
    pub user: String,
    /// The password of that user.
    pub password: Secret,
    /// The name of the database.
    pub database: String,
    /// Name of the cluster whose variant of the schema is applied; absent: a single node.
    pub cluster: Option<String>,
}

impl Default for ClickHouse {
    /// The embedded engine, as user `default` without a password, database `vigie`.
    fn default() -> Self {
        Self {
            url: None,
            user: "default".to_owned(),
            password: Secret::default(),
            database: "vigie".to_owned(),
            cluster: None,
        }
    }
}

/// Which authorities are trusted for stores that are reached over TLS.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tls {
    /// PEM file of the authorities trusted for the stores; absent: the system's.
    pub authorities: Option<PathBuf>,
}

/// Captured pages and uploaded files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Blobs {
    /// The folder of the files; absent: one in the data folder.
    pub folder: Option<PathBuf>,
    /// The bucket of the files in place of a folder.
    pub s3: S3,
}

/// A bucket of an S3-compatible service.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct S3 {
    /// Its name; absent: the files are in a folder.
    pub bucket: Option<String>,
    /// The `http` or `https` address of the service; absent: Amazon's.
    pub endpoint: Option<Url>,
    /// The region that requests are signed for.
    pub region: String,
    /// The name of the key.
    pub access_key: String,
    /// The secret that belongs to the key.
    pub secret_key: Secret,
}

impl Default for S3 {
    /// A folder, and what is usual where a bucket is named.
    fn default() -> Self {
        Self {
            bucket: None,
            endpoint: None,
            region: "us-east-1".to_owned(),
            access_key: String::new(),
            secret_key: Secret::default(),
        }
    }
}

/// How long data is kept; 0 keeps it for ever (decision D145).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Retention {
    /// Days a captured page is kept.
    pub pages_days: u32,
    /// Months an ad result is kept.
    pub ads_months: u32,
    /// Months slots, captures and the entries of the chain of evidence are kept; at least as long as their pages and ads.
    pub ledger_months: u32,
    /// Months an entry of the audit log is kept.
    pub audit_months: u32,
    /// Months the mails of a case are kept after the last thing that happened in it (decision D216).
    pub mails_months: u32,
    /// Days a mail that came in is kept as it came, after it was read; what was read in it is kept with its case.
    pub mail_sources_days: u32,
}

impl Default for Retention {
    /// Half a year for pages, a quarter for the sources of mails, 25 months for everything else.
    fn default() -> Self {
        Self {
            pages_days: 180,
            ads_months: 25,
            ledger_months: 25,
            audit_months: 25,
            mails_months: 25,
            mail_sources_days: 90,
        }
    }
}

/// What stored credentials are encrypted with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Secrets {
    /// Keys of 32 bytes in hex, separated by commas. The first one encrypts, all of them decrypt: to change the key, put the new one first, run
    /// `vigie migrate`, and take the old one away. Absent: `vigie up` makes one.
    pub keys: Option<Secret>,
}
