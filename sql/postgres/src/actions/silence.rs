//! Actions that are no longer seen although their terms are searched (decision D54).

use chrono::{DateTime, TimeDelta, Utc};
use vocabulary::{ActionEvent, ActionStatus, SystemScope};

use super::events;
use crate::{Connection, Result};

/// Sets up to `limit` open actions to `disappeared` that were last seen more than `days` before `now`, and writes their history. Spares actions
/// unless each of the whole weeks in `days` (at least one) up to `now` has a capture of their brand, country and engine, since an outage must close
/// no case. Returns how many disappeared.
pub async fn disappear(
    connection: &mut Connection,
    _system: &SystemScope,
    now: DateTime<Utc>,
    days: u32,
    limit: i64,
) -> Result<u64> {
    const DAYS_OF_WEEK: u32 = 7;
    let weeks = i32::try_from((days / DAYS_OF_WEEK).max(1)).unwrap_or(i32::MAX);
    let open: Vec<String> = ActionStatus::before(ActionEvent::StopSeeing)
        .iter()
        .map(ToString::to_string)
        .collect();
    let rows = sqlx::query!(
        r#"with looked as (
             select brand_id, split_part(locale, '_', 2) as country, engine,
                 ceil(extract(epoch from $1 - taken_at) / 604800)::int as week
             from capture
             where taken_at > $1 - $3 * interval '1 week' and taken_at < $1
                 and slot_ts > $1 - ($3 + 5) * interval '1 week' and brand_id is not null
             group by 1, 2, 3, 4
         ), watched as (
             select brand_id, country, engine from looked group by 1, 2, 3 having count(*) = $3
         )
         select a.id, a.status as "status: String" from action a join watched w using (brand_id, country, engine)
         where a.status = any($4) and a.last_view < $2
         order by a.brand_id, a.country, a.engine, a.domain limit $5 for update of a"#,
        now,
        now - TimeDelta::days(days.into()),
        weeks as i32,
        &open,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    let rows = rows.into_iter().map(|row| (row.id, row.status));
    let gone = events::happen(connection, ActionEvent::StopSeeing, rows, now, None).await?;
    Ok(u64::try_from(gone).unwrap_or(u64::MAX))
}
