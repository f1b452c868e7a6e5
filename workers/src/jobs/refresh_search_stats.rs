//! Requesting the monthly searches of terms with the automatic frequency again, once a month (decision D93).

use chrono::TimeDelta;
use postgres::search_stats;
use vocabulary::SystemScope;

use crate::Error;
use crate::context::WorkerContext;

/// The month of the list of frequencies.
const MONTH: TimeDelta = TimeDelta::hours(732);

const SCOPE: SystemScope = SystemScope::new("requesting search volumes again");

/// Requests the monthly searches of enabled terms with the automatic frequency that have none of the last [`MONTH`], if a source is connected.
/// Returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    if context.volumes.is_none() {
        return Ok("no source of search volumes is connected".to_owned());
    }
    let since = context.clock.now() - MONTH;
    let requested = search_stats::request_outdated(&context.postgres, &SCOPE, since).await?;
    Ok(format!("search volumes of {requested} terms requested"))
}
