//! Consents of people at Google.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Scope, SystemScope};

use crate::Result;
use crate::actions::events::user_of;

/// Whose consent it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantKind {
    /// Of a manager account, by an administrator.
    Manager,
    /// Of one item, by invitation.
    Item,
}

impl GrantKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Manager => "manager",
            Self::Item => "item",
        }
    }
}

/// A consent to be stored.
#[derive(Clone, Debug)]
pub struct NewGrant<'a> {
    /// Whose it is.
    pub kind: GrantKind,
    /// The address of the account at Google.
    pub email: Option<&'a str>,
    /// What was consented to.
    pub scopes: &'a [String],
    /// The refresh token, sealed.
    pub refresh_token: &'a str,
}

/// A consent of a manager account, without its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrant {
    /// Id of the grant.
    pub id: i64,
    /// The address of the account at Google.
    pub email: Option<String>,
    /// `ok`, `failing` or `revoked`.
    pub status: String,
    /// What was wrong last.
    pub last_error: Option<String>,
    /// When it was last used or looked at.
    pub checked_at: DateTime<Utc>,
}

/// Stores a consent; returns its id. An earlier manager grant of the same account gives way: what used it uses the new one.
pub async fn add(
    connection: &mut crate::Connection,
    scope: &Scope,
    grant: &NewGrant<'_>,
    now: DateTime<Utc>,
) -> Result<i64> {
    let id = sqlx::query_scalar!(
        "insert into google_grant (kind, email, scopes, refresh_token, checked_at, created_by, created_date)
         values ($1, $2, $3, $4, $5, $6, $5) returning id",
        grant.kind.name(),
        grant.email,
        grant.scopes,
        grant.refresh_token,
        now,
        user_of(scope),
    )
    .fetch_one(&mut *connection)
    .await?;
    if grant.kind == GrantKind::Manager && grant.email.is_some() {
        sqlx::query!(
            "update google_connect c set ads_grant_id = $1, health = 'ok', last_error = null
             from google_grant g where g.id = c.ads_grant_id and g.kind = 'manager' and g.email = $2 and g.id <> $1",
            id,
            grant.email
        )
        .execute(&mut *connection)
        .await?;
        sqlx::query!(
            "delete from google_grant where kind = 'manager' and email = $2 and id <> $1",
            id,
            grant.email
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(id)
}

/// The grants of manager accounts, oldest first; none for a scope that does not see everything.
pub async fn of_managers(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<StoredGrant>> {
    Ok(sqlx::query_as!(
        StoredGrant,
        "select id, email, status, last_error, checked_at from google_grant where $1 and kind = 'manager' order by id",
        scope.is_everything()
    )
    .fetch_all(executor)
    .await?)
}

/// The sealed refresh token of a grant, for Vigie's own calls.
pub async fn sealed(executor: impl PgExecutor<'_>, _system: &SystemScope, id: i64) -> Result<Option<String>> {
    Ok(
        sqlx::query_scalar!("select refresh_token from google_grant where id = $1", id)
            .fetch_optional(executor)
            .await?,
    )
}

/// A grant that may still work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedGrant {
    /// Id of the grant.
    pub id: i64,
    /// The address of the account at Google.
    pub email: Option<String>,
    /// Whether it opens Google Ads; else Search Console.
    pub reads_ads: bool,
    /// Names of the brands that are read with it.
    pub brands: Vec<String>,
}

/// The grants that were not found revoked, by id.
pub async fn to_check(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<CheckedGrant>> {
    Ok(sqlx::query_as!(
        CheckedGrant,
        r#"select g.id, g.email, exists (select from unnest(g.scopes) s where s like '%/auth/adwords') as "reads_ads!",
               array(select distinct coalesce(nullif(b.label, ''), b.name, '') from google_connect c join brand b on b.id = c.brand_id
                     where g.id in (c.ads_grant_id, c.site_grant_id) order by 1) as "brands!"
           from google_grant g where g.status <> 'revoked' order by g.id"#
    )
    .fetch_all(executor)
    .await?)
}

/// Notes how a grant was found: `ok`, `failing` or `revoked`, and what was wrong. The items of one that was revoked say so.
pub async fn mark(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    id: i64,
    (status, error): (&str, Option<&str>),
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "with items as (update google_connect set health = 'revoked', last_error = left($3, 1000)
             where $2 = 'revoked' and $1 in (ads_grant_id, site_grant_id))
         update google_grant set status = $2, last_error = left($3, 1000), checked_at = $4 where id = $1",
        id,
        status,
        error,
        now
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes a manager grant; its items keep their figures. Returns its sealed token, to be taken back at Google; `None` where there is no such grant
/// in a scope that sees everything.
pub async fn remove(executor: impl PgExecutor<'_>, scope: &Scope, id: i64) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        "with gone as (update google_connect set health = 'revoked', last_error = 'The manager account was disconnected.'
             where $2 and ads_grant_id = $1)
         delete from google_grant where $2 and id = $1 and kind = 'manager' returning refresh_token",
        id,
        scope.is_everything()
    )
    .fetch_optional(executor)
    .await?)
}
