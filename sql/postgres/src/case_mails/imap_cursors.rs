//! How far mailboxes were read.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use crate::Result;

/// How far a mailbox was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImapCursor {
    /// What the mailbox called its numbering then. Numbers of another one say nothing.
    pub uid_validity: u32,
    /// Number of the last mail that was stored.
    pub last_uid: u32,
}

/// How far a mailbox was read; `None` for one that never was.
pub async fn find(executor: impl PgExecutor<'_>, mailbox: &str) -> Result<Option<ImapCursor>> {
    let row = sqlx::query!(
        "select uid_validity, last_uid from imap_cursor where mailbox = $1",
        mailbox
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| ImapCursor {
        uid_validity: u32::try_from(row.uid_validity).unwrap_or_default(),
        last_uid: u32::try_from(row.last_uid).unwrap_or_default(),
    }))
}

/// Moves the cursor of a mailbox on. Call it in the transaction that stores the mail. Within one numbering it never moves back, as several workers may
/// read the same mailbox.
pub async fn advance(executor: impl PgExecutor<'_>, mailbox: &str, to: ImapCursor, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "insert into imap_cursor as c (mailbox, uid_validity, last_uid, read_at) values ($1, $2, $3, $4)
         on conflict (mailbox) do update set uid_validity = excluded.uid_validity, read_at = excluded.read_at,
             last_uid = case when c.uid_validity = excluded.uid_validity then greatest(c.last_uid, excluded.last_uid) else excluded.last_uid end",
        mailbox,
        i64::from(to.uid_validity),
        i64::from(to.last_uid),
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}
