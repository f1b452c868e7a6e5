//! Comparing the roll-ups of days with the stored ads.

use analytics::roll_up;

use super::count_violations;
use crate::Error;
use crate::context::WorkerContext;

/// The label under which wrong roll-ups are counted.
pub const INVARIANT: &str = "roll-up";

/// Compares the roll-up of each sealed day with its ads, and that of each week with its days, and returns a summary. One that differs counts as a
/// violation; the day, or the first day of the week, is opened, so that queries read its ads, and sealed again.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let store = context.analytics.for_housekeeping();
    let differences = roll_up::check(&store).await?;
    for difference in &differences {
        let (day, results, rolled_up) = (difference.day, difference.results, difference.rolled_up);
        tracing::error!(%day, results, rolled_up, "the roll-up of a day differs from its results and is made again");
        roll_up::open(&store, difference.day).await?;
    }
    count_violations(INVARIANT, u64::try_from(differences.len()).unwrap_or(u64::MAX));
    if !differences.is_empty() {
        roll_up::seal_closed_days(&store).await?;
    }
    Ok(format!("{} days differed", differences.len()))
}
