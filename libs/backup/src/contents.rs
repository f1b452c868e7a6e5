//! What a backup consists of.

use std::fmt;
use std::str::FromStr;

use blobs::Digest;
use chrono::{DateTime, SubsecRound, Utc};
use serde::{Deserialize, Serialize};

/// Raised when an earlier version could not restore what this one writes.
pub(crate) const FORMAT: u32 = 1;
/// The name of a backup, which sorts by time.
const NAME: &str = "%Y%m%dT%H%M%SZ";

/// A backup, by the second it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackupId(DateTime<Utc>);

impl BackupId {
    pub(crate) fn at(instant: DateTime<Utc>) -> Self {
        Self(instant.trunc_subsecs(0))
    }
}

impl fmt::Display for BackupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format(NAME))
    }
}

impl FromStr for BackupId {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(chrono::NaiveDateTime::parse_from_str(text, NAME)?.and_utc()))
    }
}

/// The contents of a backup: where everything is, and what it takes to restore it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    pub(crate) format: u32,
    /// Everything that was committed before is in it.
    pub taken_at: DateTime<Utc>,
    /// The version of Vigie that made it.
    pub vigie: String,
    /// The newest migration of PostgreSQL's schema.
    pub(crate) postgres_migration: i64,
    /// As `pg_dump` writes it, in its custom format without compression.
    pub(crate) postgres: Stored,
    /// `None` when ClickHouse was left out.
    pub(crate) clickhouse: Option<Results>,
    /// How many captured pages and files there are.
    pub files: u64,
    /// Their names, 32 bytes each, ascending. Each is a piece of its own.
    pub(crate) file_names: Stored,
    /// The name of the key that stored credentials are encrypted with; `None` if there was none.
    pub(crate) secrets_key: Option<String>,
    /// Digests of the addresses that had been erased, in hexadecimal digits.
    pub(crate) erased: Vec<String>,
}

/// The results in ClickHouse.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The newest migration of its schema.
    pub(crate) migration: u32,
    pub(crate) partitions: Vec<StoredPartition>,
}

/// A partition of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredPartition {
    pub(crate) table: String,
    pub(crate) partition: String,
    /// A digest of its parts, by which the next backup knows that it did not change.
    pub(crate) state: String,
    pub(crate) rows: u64,
    pub(crate) content: Stored,
}

/// A stream of bytes, as the pieces it was cut into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) bytes: u64,
    pub(crate) pieces: Vec<PieceName>,
}

/// The name of a piece: SHA-256 of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct PieceName(#[serde(with = "hex::serde")] pub(crate) Digest);

impl Contents {
    /// How many rows of ClickHouse there are.
    pub fn rows(&self) -> u64 {
        self.partitions().iter().map(|partition| partition.rows).sum()
    }

    pub(crate) fn partitions(&self) -> &[StoredPartition] {
        self.clickhouse
            .as_ref()
            .map_or(&[], |results| results.partitions.as_slice())
    }

    /// The streams of a backup, without the captured pages and files.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Stored> {
        let partitions = self.partitions().iter().map(|partition| &partition.content);
        [&self.postgres, &self.file_names].into_iter().chain(partitions)
    }
}
