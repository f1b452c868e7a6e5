//! Stops of the mails to advertisers: of all, of a brand, of a kind or to a domain.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Scope, UserId};

use super::brakes::HoldReason;
use crate::stored::parse;
use crate::{Connection, Result};

/// What a stop is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum StopScope {
    /// All mails to advertisers.
    All,
    /// Those of a brand, by its id.
    Brand,
    /// Those of a kind, by its name.
    Kind,
    /// Those to a domain and the domains below it.
    Domain,
}

/// A stop that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailStop {
    /// The number of the stop.
    pub id: i32,
    /// What it is about.
    pub scope: StopScope,
    /// The brand, kind or domain; empty for all.
    pub subject: String,
    /// Name of the brand that it is about.
    pub brand: Option<String>,
    /// Why, in somebody's words.
    pub reason: String,
    /// Name of the person who stopped them, the address of one without a name.
    pub by: Option<String>,
    /// When they were stopped.
    pub at: DateTime<Utc>,
    /// When it ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// Mails that it or another stop holds.
    pub held: i64,
}

/// A stop as somebody asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStop<'a> {
    /// What it is about.
    pub scope: StopScope,
    /// The brand, kind or domain; empty for all.
    pub subject: &'a str,
    /// Why, in somebody's words.
    pub reason: &'a str,
    /// The user that sets it.
    pub author: UserId,
    /// When it ends by itself.
    pub until: Option<DateTime<Utc>>,
}

/// The stops that have not ended at `now`, the newest first, at most `limit`; none unless the scope sees all brands.
pub async fn active(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<MailStop>> {
    let rows = sqlx::query!(
        r#"select s.id, s.scope, s.subject, s.reason, s.at, s.until, b.label as "brand?",
               coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email) as author,
               (select count(*) from mail_delivery d join email e on e.id = d.email_id left join action a on a.id = e.action_id
                where d.state = 'held' and d.reason = $4 and case s.scope
                    when 'brand' then a.brand_id::text = s.subject
                    when 'kind' then e.kind = s.subject
                    when 'domain' then domain_of_address(d.address) = s.subject or domain_of_address(d.address) like '%.' || s.subject
                    else true
                end) as "held!"
           from mail_stop s left join user_account u on u.id = s.by_user
               left join brand b on s.scope = 'brand' and b.id::text = s.subject
           where $1 and s.lifted_at is null and (s.until is null or s.until > $2)
           order by s.at desc, s.id desc limit $3"#,
        scope.is_everything(),
        now,
        limit,
        HoldReason::Stopped.to_string()
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(MailStop {
                id: row.id,
                scope: parse("mail_stop.scope", &row.scope)?,
                subject: row.subject,
                brand: row.brand,
                reason: row.reason,
                by: row.author,
                at: row.at,
                until: row.until,
                held: row.held,
            })
        })
        .collect()
}

/// Stops mails from `now` on and returns the number of the stop. Mails that are being handed over still leave.
pub async fn add(executor: impl PgExecutor<'_>, scope: &Scope, stop: &NewStop<'_>, now: DateTime<Utc>) -> Result<i32> {
    let id = sqlx::query_scalar!(
        "insert into mail_stop (scope, subject, reason, by_user, at, until) select $2, $3, $4, $5, $6, $7 where $1 returning id",
        scope.is_everything(),
        stop.scope.to_string(),
        stop.subject,
        stop.reason,
        stop.author.0,
        now,
        stop.until
    )
    .fetch_one(executor)
    .await?;
    Ok(id)
}

/// Ends a stop at `now`: what stops held is looked at again at once. `false` if there is no such stop, or it has ended.
pub async fn lift(connection: &mut Connection, scope: &Scope, id: i32, now: DateTime<Utc>) -> Result<bool> {
    let lifted = sqlx::query!(
        "update mail_stop set lifted_at = $3 where $1 and id = $2 and lifted_at is null and (until is null or until > $3)",
        scope.is_everything(),
        id,
        now
    )
    .execute(&mut *connection)
    .await?;
    if lifted.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query!(
        "update mail_delivery set not_before = least(not_before, $2) where state = 'held' and reason = $1",
        HoldReason::Stopped.to_string(),
        now
    )
    .execute(connection)
    .await?;
    Ok(true)
}
