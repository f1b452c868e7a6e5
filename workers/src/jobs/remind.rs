//! Reminding advertisers, and blocking the cases in which no reminder is left (decisions D45, D46, D172).

use outreach::LetterStores;
use outreach::run::{self, LineEnd};

use crate::Error;
use crate::context::WorkerContext;

/// Does what the last run at or before now has to do, however late: one reminder for each case whose time has come, be it long ago. Each case is done
/// by itself, so a run that was interrupted is completed by the next. Returns a summary.
pub async fn run(context: &WorkerContext) -> Result<String, Error> {
    let analytics = context.analytics.for_housekeeping();
    let stores = LetterStores {
        postgres: &context.postgres,
        analytics: &analytics,
    };
    let (rules, now) = (context.housekeeping.run_rules(), context.clock.now());
    let at = run::last_run(rules.zone, now);
    let (mut queued, mut blocked, mut left) = (0, 0, 0);
    for line in run::plan_reminders(stores, rules, (at, now), usize::MAX).await?.lines {
        match run::carry_out(stores, rules, &line, (at, now)).await? {
            LineEnd::Queued => queued += 1,
            LineEnd::Blocked => blocked += 1,
            LineEnd::Left => left += 1,
        }
    }
    Ok(format!(
        "{queued} mails, {blocked} cases blocked, {left} left as they are"
    ))
}
