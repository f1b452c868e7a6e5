//! What goes on beside the users: every job of the calendar is due again and again, and what reminders write leaves at once.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::bench::BenchError;
use crate::bench::peers::Psql;

/// Between two rounds; each makes every job due.
const ROUND: Duration = Duration::from_mins(10);
/// Between two looks at mails that wait for working hours.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);

const ALL_DUE: &str = "update job_run set due_at = due_at - interval '40 days'";
/// Mails of people leave at any hour; what this is about does not depend on who wrote them.
const LEAVE_AT_ONCE: &str = "
    with waiting as (
        update mail_delivery set not_before = now() where state in ('queued', 'held') and not_before > now() returning email_id
    )
    update email set author_id = (select min(id) from user_account) where id in (select email_id from waiting) and author_id is null";
/// Those that the bench did not make up.
const LEFT: &str = "select count(*) from mail_delivery where state = 'sent' and business_key not like 'bench:%'";
const FAILED_JOBS: &str = "select count(*) from job_run where outcome = 'failed'";

/// Repeats the chores until `ended`.
pub async fn run(psql: Psql, ended: CancellationToken) -> Result<(), BenchError> {
    let mut round = tokio::time::interval(ROUND);
    let mut look = tokio::time::interval(BETWEEN_LOOKS);
    loop {
        tokio::select! {
            () = ended.cancelled() => return Ok(()),
            _ = round.tick() => psql.run(&[ALL_DUE]).await?,
            _ = look.tick() => psql.run(&[LEAVE_AT_ONCE]).await?,
        };
    }
}

/// The number of mails to advertisers that left during the run.
pub async fn mails_left(psql: &Psql) -> Result<u64, BenchError> {
    psql.number(LEFT).await
}

/// The number of runs of jobs that failed.
pub async fn failed_jobs(psql: &Psql) -> Result<u64, BenchError> {
    psql.number(FAILED_JOBS).await
}
