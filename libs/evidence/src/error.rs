//! What can go wrong.

use thiserror::Error;

/// A failure of a function of this crate.
#[derive(Debug, Error)]
pub enum Error {
    /// Postgres.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The file store.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
    /// A bundle could not be packed.
    #[error("the evidence cannot be packed: {0}")]
    Packing(#[from] zip::result::ZipError),
    /// The summary page could not be written.
    #[error("the summary of the evidence cannot be written: {0}")]
    Summary(#[from] minijinja::Error),
    /// The task that packs was stopped.
    #[error("the evidence is not packed: the process is being shut down")]
    Stopped,
}
