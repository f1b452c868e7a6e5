//! Mails whose time is over.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::captures::Digest;
use crate::stored::digest;
use crate::{Connection, Result};

/// What a call of [`forget_mails`] deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Mails of cases.
    pub mails: u64,
    /// Mails as they came in, of which no case has any more.
    pub received: u64,
    /// The content of their attachments; it is not deleted here.
    pub files: Vec<Digest>,
}

/// Deletes up to `limit` mails, and as many as they came in, of cases whose last event and mail were before `before`; counts and histories of the cases
/// stay. Mails without a case go by their own date.
pub async fn forget_mails(
    connection: &mut Connection,
    _system: &SystemScope,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<Forgotten> {
    let mails = sqlx::query_scalar!(
        "select e.id from email e
         where e.created_date < $1 and coalesce(e.received_date, e.left_at, e.sended_date, e.created_date) < $1
             and not exists (select from action a where a.id = e.action_id and a.last_status_date >= $1)
             and not exists (select from email m
                 where m.action_id = e.action_id and coalesce(m.received_date, m.left_at, m.sended_date, m.created_date) >= $1)
         order by e.created_date, e.id limit $2 for update of e",
        before,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    let files = sqlx::query_scalar!(
        "delete from attachment where email_id = any($1) returning sha256",
        &mails
    )
    .fetch_all(&mut *connection)
    .await?;
    let gone = sqlx::query!("delete from email where id = any($1)", &mails)
        .execute(&mut *connection)
        .await?;
    let received = sqlx::query!(
        "delete from inbound_mail where id in (
             select i.id from inbound_mail i
             where i.received_at < $1 and not exists (select from email e where e.inbound_id = i.id) order by i.received_at limit $2)",
        before,
        limit
    )
    .execute(connection)
    .await?;
    let files: Result<Vec<Digest>> = files
        .into_iter()
        .flatten()
        .map(|file| digest("attachment.sha256", &file))
        .collect();
    Ok(Forgotten {
        mails: gone.rows_affected(),
        received: received.rows_affected(),
        files: files?,
    })
}

/// Deletes the sources of up to `limit` mails that came in before `before` and were read; what was read in them stays. Those that nobody could read, or
/// that belong to no case so far, keep theirs. Returns how many were deleted.
pub async fn forget_sources(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let done = sqlx::query!(
        "update inbound_mail set raw = '' where id in (
             select id from inbound_mail
             where received_at < $1 and octet_length(raw) > 0 and verdict in ('matched', 'report', 'complaint', 'own')
             order by received_at limit $2)",
        before,
        limit
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Whether an attachment, an upload, a capture or a failed attempt has content of this digest, so that it must be kept.
pub async fn is_used(executor: impl PgExecutor<'_>, file: &Digest) -> Result<bool> {
    let used = sqlx::query_scalar!(
        r#"select exists (select from attachment where sha256 = $1)
             or exists (select from file where sha256 = $1)
             or exists (select from capture where page_sha256 = $1 and files_gone_at is null)
             or exists (select from capture where view_sha256 = $1 and files_gone_at is null)
             or exists (select from capture where screenshot_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where page_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where view_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where screenshot_sha256 = $1 and files_gone_at is null) as "used!""#,
        &file[..]
    );
    Ok(used.fetch_one(executor).await?)
}
