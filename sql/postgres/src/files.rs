//! Uploaded files: their owners and uses. Their content is in the file store.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{FileId, Scope, SystemScope, UserId};

use crate::captures::Digest;
use crate::stored::{digest, parse};
use crate::{Connection, Result};

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Use {
    /// The picture of a user, readable by all who sign in.
    Avatar,
    /// Anything else, readable by its owner and administrators.
    Attachment,
}

/// A file to be kept.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Its id, made by the caller: it may be part of the name.
    pub id: FileId,
    /// Name shown to users.
    pub name: &'a str,
    /// What its content is.
    pub mime_type: &'a str,
    /// SHA-256 of the content.
    pub sha256: &'a Digest,
    /// Length of the content in bytes.
    pub bytes: i64,
    /// What it is for.
    pub used_as: Use,
}

/// A stored file, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name shown to users.
    pub name: String,
    /// What its content is.
    pub mime_type: String,
    /// SHA-256 of the content.
    pub sha256: Digest,
    /// What it is for.
    pub used_as: Use,
}

/// Records an uploaded file of this owner; the quota is not checked here (see [`lock_and_check_quota`]). Its content must be in the file store already.
pub async fn create(executor: impl PgExecutor<'_>, owner: UserId, new: &NewFile<'_>) -> Result<()> {
    sqlx::query!(
        "insert into file (id, name, mime_type, sha256, bytes, owner_id, purpose) values ($1, $2, $3, $4, $5, $6, $7)",
        new.id.0,
        new.name,
        new.mime_type,
        &new.sha256[..],
        new.bytes,
        owner.0,
        new.used_as.to_string()
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The file, if `reader` may read it: an avatar or a file of the reader's own, or any file when `scope` administers. `None` for any other file, an
/// unknown one, and one whose row has no `sha256`, because no content is stored.
pub async fn readable(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    reader: UserId,
    id: FileId,
) -> Result<Option<File>> {
    let row = sqlx::query!(
        r#"select name, mime_type, sha256 as "sha256!", purpose from file
           where id = $1 and sha256 is not null and (purpose = 'avatar' or owner_id = $2 or $3)"#,
        id.0,
        reader.0,
        scope.administers()
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(File {
            name: row.name.unwrap_or_default(),
            mime_type: row.mime_type.unwrap_or_default(),
            sha256: digest("file.sha256", &row.sha256)?,
            used_as: parse("file.purpose", &row.purpose)?,
        })
    })
    .transpose()
}

/// Whether this file may be chosen as the picture of an account: an avatar that `user` uploaded or, when `scope` administers, any avatar. False for a
/// file that does not exist.
pub async fn may_be_chosen_as_picture(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    user: UserId,
    id: FileId,
) -> Result<bool> {
    let may = sqlx::query_scalar!(
        r#"select exists (select from file where id = $1 and purpose = 'avatar' and (owner_id = $2 or $3)) as "may!""#,
        id.0,
        user.0,
        scope.administers()
    )
    .fetch_one(executor)
    .await?;
    Ok(may)
}

/// How many bytes a user, and all users of a company account, may store.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Bytes of one user.
    pub of_user: i64,
    /// Bytes of all users of a company account together.
    pub of_company: i64,
}

/// Whether `owner` may store this many bytes more within both quotas. Until the transaction ends, other calls for the same company account (or for
/// the owner, without one) wait: call it in the transaction that creates the file.
pub async fn lock_and_check_quota(
    connection: &mut Connection,
    owner: UserId,
    bytes: i64,
    quota: Quota,
) -> Result<bool> {
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('uploads of ' || coalesce('company ' || company_account_id, 'user ' || id), 0))
         from user_account where id = $1",
        owner.0
    )
    .execute(&mut *connection)
    .await?;
    let held = sqlx::query!(
        r#"select coalesce(sum(f.bytes) filter (where f.owner_id = $1), 0)::bigint as "user!", coalesce(sum(f.bytes), 0)::bigint as "company!"
           from file f join user_account u on u.id = f.owner_id join user_account me on me.id = $1
           where u.id = me.id or u.company_account_id = me.company_account_id"#,
        owner.0
    )
    .fetch_one(connection)
    .await?;
    Ok(held.user.saturating_add(bytes) <= quota.of_user && held.company.saturating_add(bytes) <= quota.of_company)
}

/// A file whose record and content may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedFile {
    /// Id of the file's row.
    pub id: FileId,
    /// SHA-256 of its content.
    pub sha256: Digest,
}

/// Up to `most` files uploaded before `before` that nothing uses, oldest first: no account has them as its picture, no message as an
/// attachment, and no trademark as its authorisation.
pub async fn unused(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    before: DateTime<Utc>,
    most: i64,
) -> Result<Vec<UnusedFile>> {
    let rows = sqlx::query!(
        r#"select id, sha256 as "sha256!" from file f
           where sha256 is not null and created_at < $1
             and not exists (select from user_account where avatar_id = f.id)
             and not exists (select from attachment where attachment.sha256 = f.sha256)
             and not exists (select from trademark where authorisation_id = f.id)
           order by created_at limit $2"#,
        before,
        most
    )
    .fetch_all(executor)
    .await?;
    let file = |id, sha256: Vec<u8>| {
        Ok(UnusedFile {
            id: FileId(id),
            sha256: digest("file.sha256", &sha256)?,
        })
    };
    rows.into_iter().map(|row| file(row.id, row.sha256)).collect()
}

/// Whether another upload, a capture or a failed attempt uses a file of the same content, so that the content must be kept when this upload
/// is forgotten.
pub async fn has_a_twin(executor: impl PgExecutor<'_>, _system: &SystemScope, file: &UnusedFile) -> Result<bool> {
    let has = sqlx::query_scalar!(
        r#"select exists (select from file where sha256 = $1 and id <> $2)
             or exists (select from capture where page_sha256 = $1 and files_gone_at is null)
             or exists (select from capture where view_sha256 = $1 and files_gone_at is null)
             or exists (select from capture where screenshot_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where page_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where view_sha256 = $1 and files_gone_at is null)
             or exists (select from failed_page where screenshot_sha256 = $1 and files_gone_at is null) as "has!""#,
        &file.sha256[..],
        file.id.0
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// Deletes the record of an upload. Its content in the file store is left to the caller.
pub async fn forget(executor: impl PgExecutor<'_>, _system: &SystemScope, id: FileId) -> Result<()> {
    sqlx::query!("delete from file where id = $1", id.0)
        .execute(executor)
        .await?;
    Ok(())
}
