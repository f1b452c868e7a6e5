//! Access tokens. Only their SHA-256 is stored, so that a copy of the database opens no session.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgExecutor;
use vocabulary::UserId;

use crate::Result;

/// A stored token (its row, not the secret).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenId(pub i32);

/// SHA-256 of a token.
pub type Digest = [u8; 32];

/// A token as found by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The row.
    pub id: TokenId,
    /// Who signs in with it.
    pub user: UserId,
    /// Seconds it lives from `created` on; negative or zero means never.
    pub ttl: i64,
    /// What it opens; `None` means everything the user may do.
    pub scopes: Option<Vec<String>>,
    /// When it was made.
    pub created: DateTime<Utc>,
    /// The administrator who works as `user`.
    pub impersonated_by: Option<UserId>,
    /// The administrator's own token, with which this one ends.
    pub parent: Option<TokenId>,
    /// When that one ends.
    pub parent_ends: Option<DateTime<Utc>>,
}

impl Token {
    /// When it ends, at the latest with the administrator's own token.
    pub fn expires_at(&self) -> DateTime<Utc> {
        let own = end(self.created, self.ttl);
        self.parent_ends.map_or(own, |parent| own.min(parent))
    }
}

/// When a token ends. A ttl beyond the calendar means the end of the calendar.
fn end(created: DateTime<Utc>, ttl: i64) -> DateTime<Utc> {
    TimeDelta::try_seconds(ttl)
        .and_then(|ttl| created.checked_add_signed(ttl))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// A token to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewToken<'a> {
    /// SHA-256 of the secret.
    pub digest: &'a Digest,
    /// Who signs in with it.
    pub user: UserId,
    /// Seconds it lives.
    pub ttl: i64,
    /// What it opens; `None` means everything.
    pub scopes: Option<&'a [String]>,
    /// When it is made.
    pub created: DateTime<Utc>,
    /// While impersonating: the administrator and the administrator's own token.
    pub impersonation: Option<(UserId, TokenId)>,
}

/// Stores a token.
pub async fn create(executor: impl PgExecutor<'_>, new: &NewToken<'_>) -> Result<TokenId> {
    let id = sqlx::query_scalar!(
        "insert into access_token (sha256, user_id, ttl, scopes, created, impersonated_by, parent_id)
         values ($1, $2, $3, $4, $5, $6, $7) returning id",
        &new.digest[..],
        new.user.0,
        new.ttl,
        new.scopes,
        new.created,
        new.impersonation.map(|(admin, _)| admin.0),
        new.impersonation.map(|(_, token)| token.0)
    )
    .fetch_one(executor)
    .await?;
    Ok(TokenId(id))
}

/// The token with this digest, expired or not: the caller compares [`Token::expires_at`] with its clock. One with which somebody works as
/// another is found only as long as that somebody is an administrator.
pub async fn find(executor: impl PgExecutor<'_>, digest: &Digest) -> Result<Option<Token>> {
    let row = sqlx::query_file!("queries/token_by_digest.sql", &digest[..])
        .fetch_optional(executor)
        .await?;
    Ok(row.map(|row| Token {
        id: TokenId(row.id),
        user: UserId(row.user_id),
        ttl: row.ttl,
        scopes: row.scopes,
        created: row.created,
        impersonated_by: row.impersonated_by.map(UserId),
        parent: row.parent_id.map(TokenId),
        parent_ends: row
            .parent_created
            .zip(row.parent_ttl)
            .map(|(created, ttl)| end(created, ttl)),
    }))
}

/// Ends a token and the impersonations that hang on it. `false` when it was gone already.
pub async fn revoke(executor: impl PgExecutor<'_>, token: TokenId) -> Result<bool> {
    let done = sqlx::query!("delete from access_token where id = $1", token.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends every token of a user but one (the session that asks), and answers how many.
pub async fn revoke_all(executor: impl PgExecutor<'_>, user: UserId, but: Option<TokenId>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from access_token where user_id = $1 and id is distinct from $2",
        user.0,
        but.map(|token| token.0)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes tokens that ended before `now`, and answers how many.
pub async fn delete_expired(executor: impl PgExecutor<'_>, now: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from access_token where created + least(ttl, 3153600000) * interval '1 second' < $1",
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}
