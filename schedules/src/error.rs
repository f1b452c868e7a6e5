//! The error of this crate.

use thiserror::Error;

/// Why terms could not be scheduled or jobs enqueued.
#[derive(Debug, Error)]
pub enum Error {
    /// The ledger could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The queue could not be read or written.
    #[error("the queue: {0}")]
    Queue(#[from] apalis_postgres::Error),
    /// A message could not be written.
    #[error("the message of a job: {0}")]
    Message(#[from] serde_json::Error),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Postgres(error.into())
    }
}
