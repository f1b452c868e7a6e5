//! How many cases there are in each status, and how fast they move.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::Row;
use vocabulary::{ActionStatus, Scope};

use super::list::{FROM, push_conditions};
use super::list_filter::{Condition, Sql, look_up};
use crate::stored::parse;
use crate::{Pool, Result};

/// The cases of one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusPace {
    /// Where these cases stand in their life.
    pub status: ActionStatus,
    /// Cases in it.
    pub cases: u64,
    /// How long half of them have been in it at least; `None` where no case knows since when.
    pub median: Option<TimeDelta>,
    /// Since when the case is in it that has been for longest.
    pub oldest: Option<DateTime<Utc>>,
    /// Those that were found to have gone in the period.
    pub gone: u64,
    /// How long half of these took at most, from the request; `None` where none was requested.
    pub gone_in: Option<TimeDelta>,
    /// Those with mails that nobody has read.
    pub unread: u64,
}

/// The cases in scope under the conditions by status, as of `now`; statuses without a case are left out. What has gone is counted from `from` to
/// `until`, both included.
pub async fn by_status(
    pool: &Pool,
    scope: &Scope,
    conditions: &[Condition],
    (from, until): (DateTime<Utc>, DateTime<Utc>),
    now: DateTime<Utc>,
) -> Result<Vec<StatusPace>> {
    let conditions = look_up(pool, scope, conditions.iter().collect()).await?;
    let mut sql =
        Sql::new("with narrowed as (select a.status, coalesce(a.last_status_date, a.created_date) as since, ");
    sql.push("a.requested_date, a.unread_count > 0 as unread, a.disappeared_date between ")
        .push_bind(from)
        .push(" and ")
        .push_bind(until)
        .push(" as gone, a.disappeared_date");
    sql.push(FROM);
    push_conditions(&mut sql, scope, &conditions);
    sql.push(") select status, count(*) as cases, percentile_cont(0.5) within group (order by extract(epoch from ")
        .push_bind(now)
        .push(
            " - since)::float8) as median, min(since) as oldest, count(*) filter (where gone) as gone,
            percentile_cont(0.5) within group (order by extract(epoch from disappeared_date - requested_date)::float8)
                filter (where gone and requested_date <= disappeared_date) as gone_in,
            count(*) filter (where unread) as unread
            from narrowed group by status",
        );
    let rows = sql.build().persistent(false).fetch_all(pool).await?;
    rows.iter()
        .map(|row| {
            let count = |name| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
            let lasting = |name| {
                row.try_get::<Option<f64>, _>(name)
                    .map(|found| found.and_then(duration))
            };
            Ok(StatusPace {
                status: parse("action.status", row.try_get("status")?)?,
                cases: count("cases")?,
                median: lasting("median")?,
                oldest: row.try_get("oldest")?,
                gone: count("gone")?,
                gone_in: lasting("gone_in")?,
                unread: count("unread")?,
            })
        })
        .collect()
}

/// Whole seconds as a duration; `None` below 0 and where it cannot be expressed.
fn duration(seconds: f64) -> Option<TimeDelta> {
    let whole = std::time::Duration::try_from_secs_f64(seconds.floor()).ok()?;
    TimeDelta::from_std(whole).ok()
}
