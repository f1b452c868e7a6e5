//! Adding up the results and the ledger of closed days.

use analytics::roll_up;
use postgres::coverage;

use crate::Error;
use crate::context::WorkerContext;

pub async fn run(parts: &WorkerContext) -> Result<String, Error> {
    let of_ledger = coverage::seal_closed_days(&parts.postgres).await?;
    let days = roll_up::seal_closed_days(&parts.analytics.for_housekeeping()).await?;
    Ok(format!("{days} days of results and {of_ledger} of the ledger added up"))
}
