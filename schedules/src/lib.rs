//! What is due, and the queue that carries it to the workers.
//!
//! Every process runs [`pass()`] and [`sweep()`] every few seconds; there is no leader. A slot and the job that asks for it are written in one
//! transaction, so neither is ever without the other.

pub mod calendar;
mod error;
pub mod grid;
mod pass;
pub mod queue;
mod sweep;

pub use error::Error;
pub use pass::{Passed, pass};
pub use sweep::{Swept, delete_finished_jobs, sweep};

/// Makes or updates the queue's own schema (`apalis`, with a journal of its own). The extension hstore is made too, which needs the right
/// to create in the database.
pub async fn migrate(pool: &postgres::Pool) -> Result<(), Error> {
    Ok(apalis_postgres::PostgresStorage::<()>::setup(pool).await?)
}
