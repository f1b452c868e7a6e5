//! What persons said about two domains: whether one advertiser is behind both.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{SystemScope, UserId};

use crate::{Connection, Result};

/// What a person said about two domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvertiserLink {
    /// The first of both in alphabetical order.
    pub one: String,
    /// The second in that order.
    pub other: String,
    /// `same` or `different`.
    pub verdict: String,
    /// When it was said last.
    pub decided_at: DateTime<Utc>,
}

/// What was said about these domains, and about those that are said to be the same as one of them, and so on, the latest `most` of it. The
/// caller shows a reader no more than the domains whose ads the reader sees.
pub async fn around(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    domains: &[String],
    most: i64,
) -> Result<Vec<AdvertiserLink>> {
    Ok(sqlx::query_as!(
        AdvertiserLink,
        r#"with recursive reached (domain) as (
             select unnest($1::text[])
             union
             select case when l.one = r.domain then l.other else l.one end
             from reached r join advertiser_link l on r.domain in (l.one, l.other) and l.verdict = 'same'
           )
           select l.one, l.other, l.verdict, l.decided_at from advertiser_link l
           where l.one in (select domain from reached) or l.other in (select domain from reached)
           order by l.decided_at desc, l.id limit $2"#,
        domains,
        most
    )
    .fetch_all(executor)
    .await?)
}

/// Stores what a person says about two domains, in alphabetical order, in place of what was said before; returns its number.
pub async fn decide(
    connection: &mut Connection,
    (one, other): (&str, &str),
    verdict: &str,
    (user, at): (UserId, DateTime<Utc>),
) -> Result<i32> {
    Ok(sqlx::query_scalar!(
        "insert into advertiser_link (one, other, verdict, decided_by, decided_at) values ($1, $2, $3, $4, $5)
         on conflict (one, other) do update
         set verdict = excluded.verdict, decided_by = excluded.decided_by, decided_at = excluded.decided_at
         returning id",
        one,
        other,
        verdict,
        user.0,
        at
    )
    .fetch_one(connection)
    .await?)
}

/// Forgets what was said about two domains, in alphabetical order; returns its number and the verdict, `None` where nothing was said.
pub async fn forget(connection: &mut Connection, (one, other): (&str, &str)) -> Result<Option<(i32, String)>> {
    let gone = sqlx::query!(
        "delete from advertiser_link where one = $1 and other = $2 returning id, verdict",
        one,
        other
    );
    let gone = gone.fetch_optional(connection).await?;
    Ok(gone.map(|row| (row.id, row.verdict)))
}
