//! Claiming the alerts that are due, and queueing their mails.

use std::time::Duration;

use chrono::{DateTime, Utc};
use vocabulary::SystemScope;

use super::stored::OffReason;
use crate::stored::interval;
use crate::{Connection, Result};

/// Digests after something happened are this far apart at least, so that a flood of events is one mail.
const BETWEEN_HOOKS: Duration = Duration::from_mins(15);

/// An alert whose row is locked until the transaction ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueAlert {
    /// Id of the alert.
    pub id: i32,
    /// Whether it is sent after something happened, not by a schedule.
    pub is_hook: bool,
    /// Its cron expression.
    pub cron: Option<String>,
    /// How often it is sent without a cron expression.
    pub frequency: Option<String>,
    /// Since when the frequency counts.
    pub start: Option<DateTime<Utc>>,
    /// The time that is due; `None` when none is planned yet.
    pub next_send: Option<DateTime<Utc>>,
    /// When it was sent last.
    pub last_send: Option<DateTime<Utc>>,
}

/// Claims up to `most` enabled alerts that are due at `now`, have no time planned or have something to report. Those that another transaction has claimed
/// are passed over.
pub async fn claim(
    connection: &mut Connection,
    _system: &SystemScope,
    now: DateTime<Utc>,
    most: i64,
) -> Result<Vec<DueAlert>> {
    let rows = sqlx::query_file!("queries/claim_alerts.sql", now, most, interval(BETWEEN_HOOKS))
        .fetch_all(connection)
        .await?;
    let due = rows.into_iter().map(|row| DueAlert {
        id: row.id,
        is_hook: row.is_hook,
        cron: row.cron,
        frequency: row.frequency,
        start: row.start_date,
        next_send: row.next_send,
        last_send: row.last_send,
    });
    Ok(due.collect())
}

/// Sets the time of a claimed alert's next mail.
pub async fn plan(
    connection: &mut Connection,
    _system: &SystemScope,
    alert: &DueAlert,
    next: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update alert set next_send = $2 where id = $1", alert.id, next)
        .execute(connection)
        .await?;
    Ok(())
}

/// Queues one mail to each recipient of a claimed alert about the time from `from` to `now`, takes what happened into it, and moves the alert on to
/// `next`. Returns how many mails were queued.
pub async fn queue(
    connection: &mut Connection,
    _system: &SystemScope,
    alert: &DueAlert,
    (from, now): (DateTime<Utc>, DateTime<Utc>),
    next: Option<DateTime<Utc>>,
) -> Result<u64> {
    let slot = alert.next_send.filter(|_| !alert.is_hook).unwrap_or(now);
    let queued = sqlx::query_file!("queries/queue_digests.sql", alert.id, slot, from, now)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "update alert_hit set digest = $2 where alert_id = $1 and digest is null",
        alert.id,
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update alert set last_send = $2, next_send = $3 where id = $1",
        alert.id,
        now,
        next
    )
    .execute(connection)
    .await?;
    Ok(queued.rows_affected())
}

/// Switches off a claimed alert whose schedule cannot be read.
pub async fn switch_off(
    connection: &mut Connection,
    _system: &SystemScope,
    alert: &DueAlert,
    now: DateTime<Utc>,
) -> Result<()> {
    let reason = OffReason::Schedule.to_string();
    sqlx::query!(
        "update alert set enable = false, off_reason = $2, off_at = $3 where id = $1",
        alert.id,
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}
