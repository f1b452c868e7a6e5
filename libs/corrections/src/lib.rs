//! Correcting stored ads by hand. No failure on the way loses an ad or stores one twice.
//!
//! A correction is written into the journal in Postgres first, then ClickHouse is changed, then the ledger. [`recover`] completes what the
//! journal still holds; since it says what each ad becomes, repeating it changes nothing. An ad keeps its number. The stored page, the chain
//! of evidence and the actions made of the ad stay as they are. The ads of a term that got another brand are moved in the same way
//! ([`reattribute`]).

mod journal;
mod lock;
mod reattribution;

use thiserror::Error;

pub use journal::{Correction, apply_to_rows};
pub use lock::{CorrectionLock, Stores, recover};
pub use reattribution::{Reattributed, reattribute, recover as recover_reattributions};

/// Why ads could not be corrected. What is in the journal by then is completed later.
#[derive(Debug, Error)]
pub enum Error {
    /// The journal or the ledger could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// ClickHouse could not be read or changed.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The journal holds something that is no ad: it was changed by hand, or by a newer version.
    #[error("the journal of corrections holds what is no ad: {0}")]
    Journal(#[from] serde_json::Error),
    /// The task that corrected panicked.
    #[error("correcting ads broke down: {0}")]
    Task(#[from] tokio::task::JoinError),
}
