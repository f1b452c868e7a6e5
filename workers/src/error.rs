//! The error of this crate.

use thiserror::Error;

/// Why a worker failed. Failures of single captures are recorded in the ledger instead.
#[derive(Debug, Error)]
pub enum Error {
    /// The ledger could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The queue or the schedules failed.
    #[error(transparent)]
    Schedules(#[from] schedules::Error),
    /// ClickHouse could not be read or written.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The file store could not be read or written.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    /// A correction could not be completed.
    #[error(transparent)]
    Corrections(#[from] corrections::Error),
    /// Captures could not be sealed into the chain of evidence.
    #[error(transparent)]
    Evidence(#[from] evidence::Error),
    /// Mails to advertisers could not be written.
    #[error(transparent)]
    Outreach(#[from] outreach::OutreachError),
    /// A loop of the worker panicked or ended early.
    #[error(transparent)]
    Loop(#[from] runtime::LoopError),
}

impl Error {
    /// Whether the ledger could not be reached, or another transaction changed the same rows: a retry may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Postgres(error) | Self::Schedules(schedules::Error::Postgres(error)) => {
                error.is_unreachable() || error.is_contended()
            }
            _ => false,
        }
    }
}
