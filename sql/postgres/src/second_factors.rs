//! The second factor of accounts: the sealed secret of an app that makes codes, and the digests of recovery codes, each good once.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::UserId;

use crate::{Connection, Result};

/// What secrets are sealed as.
pub const SEALED_AS: &str = "second_factor.secret";

/// SHA-256 of a recovery code.
pub type Digest = [u8; 32];

/// The second factor of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondFactor {
    /// The sealed secret that codes are made of.
    pub secret: String,
    /// When a first code proved that the app has it; until then nobody is asked for codes.
    pub confirmed: Option<DateTime<Utc>>,
}

/// A user's second factor, confirmed or not.
pub async fn find(executor: impl PgExecutor<'_>, user: UserId) -> Result<Option<SecondFactor>> {
    let row = sqlx::query!(
        "select secret, confirmed_at from second_factor where user_id = $1",
        user.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| SecondFactor {
        secret: row.secret,
        confirmed: row.confirmed_at,
    }))
}

/// Begins a user's second factor, in place of one that was not confirmed. `false`, and nothing stored, where there is a confirmed one.
pub async fn begin(executor: impl PgExecutor<'_>, user: UserId, sealed: &str, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query!(
        "insert into second_factor (user_id, secret, created_at) values ($1, $2, $3)
         on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
         where second_factor.confirmed_at is null",
        user.0,
        sealed,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Confirms a user's second factor by the code of this half minute. `false` where another request has confirmed or begun one meanwhile; `sealed` is the secret that the
/// code was made of.
pub async fn confirm(
    executor: impl PgExecutor<'_>,
    user: UserId,
    (sealed, step): (&str, i64),
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "update second_factor set confirmed_at = $4, last_step = $3
         where user_id = $1 and secret = $2 and confirmed_at is null",
        user.0,
        sealed,
        step,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Uses the code of a half minute. `false` where that one or a later one was used before.
pub async fn use_step(executor: impl PgExecutor<'_>, user: UserId, step: i64) -> Result<bool> {
    let done = sqlx::query!(
        "update second_factor set last_step = $2 where user_id = $1 and confirmed_at is not null and coalesce(last_step < $2, true)",
        user.0,
        step
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Replaces the recovery codes of a user who has a second factor.
pub async fn set_recovery_codes(connection: &mut Connection, user: UserId, digests: &[Digest]) -> Result<()> {
    let digests: Vec<Vec<u8>> = digests.iter().map(|digest| digest.to_vec()).collect();
    sqlx::query!("delete from recovery_code where user_id = $1", user.0)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "insert into recovery_code (user_id, sha256) select $1, unnest($2::bytea[])",
        user.0,
        &digests
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Uses a recovery code up. `false` where the user has no such code, or no confirmed second factor.
pub async fn use_recovery_code(executor: impl PgExecutor<'_>, user: UserId, digest: &Digest) -> Result<bool> {
    let done = sqlx::query!(
        "delete from recovery_code where user_id = $1 and sha256 = $2",
        user.0,
        &digest[..]
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// How many recovery codes a user has left.
pub async fn recovery_codes_left(executor: impl PgExecutor<'_>, user: UserId) -> Result<u64> {
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from recovery_code where user_id = $1"#,
        user.0
    )
    .fetch_one(executor)
    .await?;
    Ok(count.unsigned_abs())
}

/// Removes a user's second factor with its recovery codes. `false` where there is no confirmed one.
pub async fn remove(executor: impl PgExecutor<'_>, user: UserId) -> Result<bool> {
    let done = sqlx::query!(
        "delete from second_factor where user_id = $1 and confirmed_at is not null",
        user.0
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}
