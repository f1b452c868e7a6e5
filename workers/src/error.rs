//! What can go wrong in a worker.

use thiserror::Error;

/// A failure of a worker. Failures of single captures end in the ledger instead.
#[derive(Debug, Error)]
pub enum Error {
    /// The ledger could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The queue or the schedules failed.
    #[error(transparent)]
    Schedules(#[from] schedules::Error),
    /// The store of ads failed.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The file store failed.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    /// A correction could not be brought to its end.
    #[error(transparent)]
    Corrections(#[from] corrections::Error),
    /// The chain of evidence could not be lengthened.
    #[error(transparent)]
    Evidence(#[from] evidence::Error),
    /// A loop of the worker broke down.
    #[error(transparent)]
    Loop(#[from] runtime::LoopError),
}
