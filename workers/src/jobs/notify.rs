//! Writing the first mail in the cases of brands that notify every advertiser (decisions D47, D183).

use outreach::LetterStores;
use outreach::run::{self, LineEnd};

use crate::Error;
use crate::context::WorkerContext;

/// Queues the notification of every requested case of such a brand that has somebody to write to, as far as the limit of the day allows. Returns a
/// summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let analytics = context.analytics.for_housekeeping();
    let stores = LetterStores {
        postgres: &context.postgres,
        analytics: &analytics,
    };
    let (rules, now) = (context.housekeeping.run_rules(), context.clock.now());
    let (mut queued, mut left) = (0, 0);
    for line in run::plan_notifications(stores, rules, now, usize::MAX).await?.lines {
        match run::notify(stores, rules, &line, now).await? {
            LineEnd::Queued => queued += 1,
            LineEnd::Blocked | LineEnd::Left => left += 1,
        }
    }
    Ok(format!("{queued} notifications, {left} cases left as they are"))
}
