//! Adding up the results of closed days.

use analytics::roll_up;

use crate::Error;
use crate::parts::Parts;

pub async fn run(parts: &Parts) -> Result<String, Error> {
    let days = roll_up::seal_closed_days(&parts.analytics.for_housekeeping()).await?;
    Ok(format!("{days} days added up"))
}
