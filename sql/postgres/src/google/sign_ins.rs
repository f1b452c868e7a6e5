//! Sign-ins at Google under way.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Role, SystemScope};

use crate::Result;

/// A sign-in that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// What the code is exchanged with.
    pub verifier: String,
    /// The item whose invitation was accepted.
    pub item: Option<i32>,
    /// The administrator who connects a manager account.
    pub user: Option<i32>,
}

/// Keeps what the answer of Google is checked with until `until`: digests of the state and of the secret that the browser keeps.
pub async fn begin(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (state, browser): ([u8; 32], [u8; 32]),
    sign_in: &SignIn,
    until: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "with old as (delete from google_sign_in where until < now() - interval '1 day')
         insert into google_sign_in (state_digest, browser_digest, verifier, google_connect_id, user_id, until)
         values ($1, $2, $3, $4, $5, $6)",
        &state[..],
        &browser[..],
        sign_in.verifier,
        sign_in.item,
        sign_in.user,
        until
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Takes a sign-in out, so that it is used once; `None` for another state or browser, one that is too old, and one of a user who is no administrator any
/// more.
pub async fn take(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (state, browser): ([u8; 32], [u8; 32]),
    now: DateTime<Utc>,
) -> Result<Option<SignIn>> {
    let row = sqlx::query!(
        "delete from google_sign_in where state_digest = $1
         returning verifier, google_connect_id, user_id, browser_digest = $2 and until > $3 and (user_id is null or exists (
             select from role_mapping m join role r on r.id = m.role_id
             where m.principal_id = google_sign_in.user_id::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name = $4)) as \"fits!\"",
        &state[..],
        &browser[..],
        now,
        Role::Admin.to_string()
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.filter(|row| row.fits).map(|row| SignIn {
        verifier: row.verifier,
        item: row.google_connect_id,
        user: row.user_id,
    }))
}
