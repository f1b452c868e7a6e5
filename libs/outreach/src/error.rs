//! What can go wrong between a case and its letter.

use thiserror::Error;

/// A failure of a store.
#[derive(Debug, Error)]
pub enum OutreachError {
    /// Postgres, which has the cases and templates.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse, which has the ads.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
}
