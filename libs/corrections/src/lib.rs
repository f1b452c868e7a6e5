//! Correcting stored ads by hand, so that none is lost and none is there twice, whatever breaks on the way.
//!
//! A correction is written into the journal of Postgres first, then the store of ads is changed, then the ledger follows. What stands in
//! the journal is brought to its end, by whoever comes next ([`recover`]): it says what each ad becomes, so doing it again changes nothing.
//! An ad keeps its number. What was kept of its page and the chain of evidence stay as they are, and so do the actions that were made of it.
//! Ads of a term that changed hands are moved in the same way ([`reattribute`]).

mod journal;
mod lock;
mod reattribution;

use thiserror::Error;

pub use journal::{Correction, renewed};
pub use lock::{CorrectionLock, Stores, recover};
pub use reattribution::{Reattributed, reattribute, recover as recover_reattributions};

/// Why ads could not be corrected.
#[derive(Debug, Error)]
pub enum Error {
    /// The journal or the ledger could not be read or written.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The store of ads failed. What was journaled is brought to its end later.
    #[error(transparent)]
    Analytics(#[from] analytics::Error),
    /// The journal holds what is no ad: it was changed by hand, or by a newer version.
    #[error("the journal of corrections holds what is no ad: {0}")]
    Journal(#[from] serde_json::Error),
    /// The task that corrected broke down. What was journaled is brought to its end later.
    #[error("correcting ads broke down: {0}")]
    Task(#[from] tokio::task::JoinError),
}
