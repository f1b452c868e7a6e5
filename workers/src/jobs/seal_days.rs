//! Sealing the days that are over, in the roll-ups and in the ledger.

use analytics::roll_up;
use postgres::coverage;

use crate::Error;
use crate::context::WorkerContext;

/// Seals the UTC days that are over, in the roll-ups of ads and in the coverage of the ledger, and returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let of_ledger = coverage::seal_closed_days(&context.postgres).await?;
    let days = roll_up::seal_closed_days(&context.analytics.for_housekeeping()).await?;
    Ok(format!("{days} days of results and {of_ledger} of the ledger added up"))
}
