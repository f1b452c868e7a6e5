//! The operations of Google Ads that were asked for, and until when none may be.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::Result;

/// What was asked for in the last 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Operations of Google Ads.
    pub operations: i64,
    /// Calls that were refused because of a limit.
    pub refused: i64,
    /// Until when nothing may be asked.
    pub paused_until: Option<DateTime<Utc>>,
    /// Why nothing may be asked.
    pub paused_because: Option<String>,
}

/// Counts operations, and calls that a limit refused.
pub async fn count_operations(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (operations, refused): (i32, i32),
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into google_usage (hour, operations, refused) values (date_trunc('hour', $3::timestamptz), $1, $2)
         on conflict (hour) do update set operations = google_usage.operations + $1, refused = google_usage.refused + $2",
        operations,
        refused,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Has nothing asked of Google Ads until a time.
pub async fn pause(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    sqlx::query!(
        "insert into google_pause (until, reason) values ($1, $2)
         on conflict (one) do update set until = greatest(google_pause.until, $1), reason = $2",
        until,
        reason
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// What was asked for in the 24 hours before `now`. Counts of the whole project, which are no tenant's.
pub async fn usage(executor: impl PgExecutor<'_>, now: DateTime<Utc>) -> Result<Usage> {
    let row = sqlx::query!(
        r#"select coalesce(sum(operations), 0)::bigint as "operations!", coalesce(sum(refused), 0)::bigint as "refused!",
             (select until from google_pause where until > $1) as until, (select reason from google_pause where until > $1) as reason
           from google_usage where hour > $1 - interval '24 hours'"#,
        now
    )
    .fetch_one(executor)
    .await?;
    Ok(Usage {
        operations: row.operations,
        refused: row.refused,
        paused_until: row.until,
        paused_because: row.reason,
    })
}
