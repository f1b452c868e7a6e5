//! The cases in which Vigie may have something to do by itself.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgExecutor;
use vocabulary::{ActionId, BrandId, Scope, SystemScope, UserId};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A case in which Vigie may have something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueCase {
    /// The id of the case.
    pub action: ActionId,
    /// The brand that it is of.
    pub brand: BrandId,
    /// Whether somebody struck it out of the run of the day.
    pub is_struck: bool,
    /// Whether the mail that would be next was written already in this cycle, and not cancelled.
    pub is_written: bool,
}

/// The cases whose reminder clock may have run out before `before`, for the run on `day`: the longest overdue first.
pub async fn reminders(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    before: DateTime<Utc>,
    day: NaiveDate,
) -> Result<Vec<DueCase>> {
    let rows = sqlx::query!(
        r#"select a.id, a.brand_id as "brand_id!",
               exists (select from outreach_strike s where s.action_id = a.id and s.day = $2) as "is_struck!",
               exists (
                   select from email e join mail_delivery d on d.email_id = e.id
                   where e.action_id = a.id and e.cycle = a.cycle and d.state <> 'cancelled' and case
                       when a.notified_manually then e.kind = 'notification'
                       else e.kind = 'reminder' and e.reminder_number = a.cycle_reminders + 1 end
               ) as "is_written!"
           from action a cross join lateral reminder_settings(a.brand_id) s
           where a.status in ('inprogress', 'reminded') and a.waiting and a.brand_id is not null and (s.is_automatic or a.cycle_forced)
               and coalesce(a.clock_at, greatest(a.inprogress_date, a.reminded_date)) + make_interval(days => s.frequency) <= $1
               and (a.paused_until is null or a.paused_until <= $2)
           order by coalesce(a.clock_at, greatest(a.inprogress_date, a.reminded_date)), a.id"#,
        before,
        day
    )
    .fetch_all(executor)
    .await?;
    let cases = rows.into_iter().map(|row| DueCase {
        action: ActionId(row.id),
        brand: BrandId(row.brand_id),
        is_struck: row.is_struck,
        is_written: row.is_written,
    });
    Ok(cases.collect())
}

/// The requested cases of brands that notify every advertiser, whose notification was not written yet: the longest requested first.
pub async fn notifications(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    day: NaiveDate,
) -> Result<Vec<DueCase>> {
    let rows = sqlx::query!(
        r#"select a.id, a.brand_id as "brand_id!",
               exists (select from outreach_strike s where s.action_id = a.id and s.day = $1) as "is_struck!"
           from action a join brand b on b.id = a.brand_id
           where a.status = 'requested' and b.notification_auto and has_active_contact(a.advertiser_id, a.domain)
               and not exists (
                   select from email e join mail_delivery d on d.email_id = e.id
                   where e.action_id = a.id and e.cycle = a.cycle and e.kind = 'notification' and d.state <> 'cancelled'
               )
           order by a.requested_date, a.id"#,
        day
    )
    .fetch_all(executor)
    .await?;
    let cases = rows.into_iter().map(|row| DueCase {
        action: ActionId(row.id),
        brand: BrandId(row.brand_id),
        is_struck: row.is_struck,
        is_written: false,
    });
    Ok(cases.collect())
}

/// Notifications of a brand that Vigie wrote by itself since `since`. The brand stays locked until the transaction ends, so that two runs do not exceed
/// its limit together.
pub async fn written_since(
    connection: &mut Connection,
    _system: &SystemScope,
    brand: BrandId,
    since: DateTime<Utc>,
) -> Result<i64> {
    sqlx::query!("select from brand where id = $1 for no key update", brand.0)
        .execute(&mut *connection)
        .await?;
    let count = sqlx::query_scalar!(
        r#"select count(*) as "count!" from email e join action a on a.id = e.action_id
           where a.brand_id = $1 and e.kind = 'notification' and e.direction = 'out' and e.author_id is null and e.created_date >= $2
               and exists (select from mail_delivery d where d.email_id = e.id and d.state <> 'cancelled')"#,
        brand.0,
        since
    )
    .fetch_one(connection)
    .await?;
    Ok(count)
}

/// Locks a case until the transaction ends. Returns whether somebody struck it out of the run of a day.
pub async fn lock(
    connection: &mut Connection,
    _system: &SystemScope,
    action: ActionId,
    day: NaiveDate,
) -> Result<bool> {
    sqlx::query!("select from action where id = $1 for update", action.0)
        .execute(&mut *connection)
        .await?;
    let struck = sqlx::query_scalar!(
        r#"select exists (select from outreach_strike where action_id = $1 and day = $2) as "struck!""#,
        action.0,
        day
    );
    Ok(struck.fetch_one(connection).await?)
}

/// Takes cases out of the automatic mails of a day, or takes that back; those that the scope does not see are left as they are.
pub async fn strike(
    connection: &mut Connection,
    scope: &Scope,
    (actions, day): (&[ActionId], NaiveDate),
    is_struck: bool,
    (author, now): (UserId, DateTime<Utc>),
) -> Result<()> {
    let bounds = ScopeLists::from_scope(scope);
    let ids: Vec<i32> = actions.iter().map(|id| id.0).collect();
    if is_struck {
        sqlx::query!(
            "insert into outreach_strike (action_id, day, by_user, at)
             select id, $3, $4, $5 from action where id = any($2) and ($1::int[] is null or brand_id = any($1))
             on conflict do nothing",
            bounds.brands as Option<Vec<i32>>,
            &ids,
            day,
            author.0,
            now
        )
        .execute(connection)
        .await?;
    } else {
        sqlx::query!(
            "delete from outreach_strike s using action a
             where a.id = s.action_id and s.action_id = any($2) and s.day = $3 and ($1::int[] is null or a.brand_id = any($1))",
            bounds.brands as Option<Vec<i32>>,
            &ids,
            day
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}
