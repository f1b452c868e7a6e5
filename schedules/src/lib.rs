//! Finds the terms that are due and enqueues their captures.
//!
//! Every process runs [`pass()`] and [`sweep()`] every few seconds; there is no leader. A slot and its job are written in one transaction,
//! so neither exists without the other.

mod acceptance_checks;
mod by_hand;
pub mod calendar;
pub mod capacity;
mod error;
pub mod grid;
mod pass;
pub mod queue;
pub mod quotas;
mod sweep;

pub use acceptance_checks::{Checked, check_accepted};
pub use by_hand::run_now;
pub use error::Error;
pub use pass::{Passed, pass};
pub use sweep::{Swept, delete_finished_jobs, sweep};

/// Creates or updates the queue's own schema (`apalis`, with its own list of migrations). Also creates the extension hstore, for which the user must
/// be allowed to create extensions in the database.
pub async fn migrate(pool: &postgres::Pool) -> Result<(), Error> {
    Ok(apalis_postgres::PostgresStorage::<()>::setup(pool).await?)
}
