//! The persons of the provider of OpenID Connect, and their accounts.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::UserId;

use crate::Result;

/// The account of a person of a provider.
pub async fn account(executor: impl PgExecutor<'_>, (issuer, subject): (&str, &str)) -> Result<Option<UserId>> {
    let user = sqlx::query_scalar!(
        "select user_id from provider_identity where issuer = $1 and subject = $2",
        issuer,
        subject
    )
    .fetch_optional(executor)
    .await?;
    Ok(user.map(UserId))
}

/// Makes an account that of a person of a provider. `false` where the account is another person's there, or the person has another account.
pub async fn link(
    executor: impl PgExecutor<'_>,
    (issuer, subject): (&str, &str),
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query!(
        "insert into provider_identity (issuer, subject, user_id, created_at) values ($1, $2, $3, $4) on conflict do nothing",
        issuer,
        subject,
        user.0,
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}
