//! What a restored backup is compared with.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::Result;

/// Whether the database has no tables of anybody yet.
pub async fn is_empty(executor: impl PgExecutor<'_>) -> Result<bool> {
    let empty = sqlx::query_scalar!(
        r#"select not exists (
               select from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
           ) as "empty!""#
    );
    Ok(empty.fetch_one(executor).await?)
}

/// Stops all mails to advertisers until somebody lifts the stop: a restored database does not know which of them left after `taken_at`.
pub async fn stop_mails(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    taken_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "insert into mail_stop (scope, reason, at) values ('all', 'restored from the backup of ' || shown_instant($1) || ': mails may have left since', $2)",
        taken_at,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The newest migration that was applied; an error for a database that was never migrated.
pub async fn last_migration(executor: impl PgExecutor<'_>) -> Result<i64> {
    let last: i64 = sqlx::query_scalar("select coalesce(max(version), 0) from _sqlx_migrations where success")
        .fetch_one(executor)
        .await?;
    Ok(last)
}
