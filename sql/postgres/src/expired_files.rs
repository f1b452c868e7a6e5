//! The files of captures and failed attempts whose retention is over (decision D145).

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::SystemScope;

use crate::captures::Digest;
use crate::stored::digest;
use crate::{Connection, Result};

/// Captures and failed attempts whose retention is over, and the files that may be deleted with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpiredFiles {
    /// Ids of captures.
    pub captures: Vec<uuid::Uuid>,
    /// Failed attempts: slot and attempt.
    pub failed_pages: Vec<(i64, i32)>,
    /// Files that no younger row names, each once.
    pub files: Vec<Digest>,
}

impl ExpiredFiles {
    /// Whether there is nothing to do.
    pub const fn is_empty(&self) -> bool {
        self.captures.is_empty() && self.failed_pages.is_empty()
    }
}

/// Up to `limit` captures and as many failed attempts that were received before `before` and still have their files, oldest first. Lists
/// only those files that no younger row and no upload uses; nothing is deleted or locked.
pub async fn outdated(
    connection: &mut Connection,
    _system: &SystemScope,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<ExpiredFiles> {
    let captures = sqlx::query!(
        "select id, page_sha256, view_sha256, screenshot_sha256 from capture
         where files_gone_at is null and taken_at < $1 order by taken_at limit $2",
        before,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    let failed_pages = sqlx::query!(
        "select slot_id, attempt, page_sha256, view_sha256, screenshot_sha256 from failed_page
         where files_gone_at is null and taken_at < $1 order by taken_at limit $2",
        before,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut named = Vec::new();
    let mut outdated = ExpiredFiles::default();
    for row in captures {
        outdated.captures.push(row.id);
        named.extend([Some(row.page_sha256), Some(row.view_sha256), row.screenshot_sha256]);
    }
    for row in failed_pages {
        outdated.failed_pages.push((row.slot_id, row.attempt));
        named.extend([Some(row.page_sha256), Some(row.view_sha256), row.screenshot_sha256]);
    }
    let named: Vec<Vec<u8>> = named.into_iter().flatten().collect();
    let unnamed = sqlx::query_file_scalar!("queries/files_without_younger_owner.sql", &named, before)
        .fetch_all(connection)
        .await?;
    for file in unnamed {
        outdated.files.push(digest("capture.page_sha256", &file)?);
    }
    Ok(outdated)
}

/// Marks the files of these rows as removed. Call it once they are deleted; rows and digests stay, and a repetition changes nothing.
pub async fn mark_gone(executor: impl PgExecutor<'_>, _system: &SystemScope, gone: &ExpiredFiles) -> Result<()> {
    let (slots, attempts): (Vec<i64>, Vec<i32>) = gone.failed_pages.iter().copied().unzip();
    sqlx::query!(
        "with marked as (update capture set files_gone_at = now() where id = any($1) and files_gone_at is null)
         update failed_page set files_gone_at = now()
         from unnest($2::bigint[], $3::int[]) as gone (slot_id, attempt)
         where failed_page.slot_id = gone.slot_id and failed_page.attempt = gone.attempt and files_gone_at is null",
        &gone.captures,
        &slots,
        &attempts
    )
    .execute(executor)
    .await?;
    Ok(())
}
