//! Lanes as they are stored.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Device, SystemScope, TermId, UserId};

use crate::stored::parse;
use crate::{Connection, Result};

/// A lane as it is stored. Its texts are those of the rule (`stop_go`).
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLane {
    /// Id of the lane.
    pub id: i32,
    /// `customer:` and a Google customer, or `brand:` and a brand without one.
    pub account: String,
    /// The Google item that its list belongs to.
    pub google_connect: Option<i32>,
    /// Whether that item has a grant that works.
    pub has_grant: bool,
    /// Its country, two letters.
    pub country: String,
    /// The text that is added to the list.
    pub text: String,
    /// Where it is.
    pub state: String,
    /// When it came into this state.
    pub since: DateTime<Utc>,
    /// The rule that decided last.
    pub reason: String,
    /// Whether its text should be in the list.
    pub desired: bool,
    /// Whether it is, as last read.
    pub observed: Option<bool>,
    /// When the list was read last.
    pub checked_at: Option<DateTime<Utc>>,
    /// What the list refused the last change with.
    pub refused: Option<String>,
    /// When it was stopped last.
    pub stopped_at: Option<DateTime<Utc>>,
    /// Until when it may not stop.
    pub min_go_until: Option<DateTime<Utc>>,
    /// Seconds that it goes after the next stop, where it differs from the settings.
    pub min_go_seconds: Option<i64>,
    /// The day that `toggles_today` counts for.
    pub toggles_day: Option<NaiveDate>,
    /// Stops and goes of that day.
    pub toggles_today: i32,
    /// When a person approved a stop.
    pub approved_at: Option<DateTime<Utc>>,
    /// When a person saw its dry run.
    pub dry_run_seen_at: Option<DateTime<Utc>>,
    /// Whether it is kept as a control.
    pub holdout: bool,
    /// When the clock alone may change what is decided.
    pub next_event_at: Option<DateTime<Utc>>,
}

/// Takes the locks of the accounts of lanes until the transaction ends, always in the same order. A transaction that locks several lanes calls it first.
pub async fn lock_accounts(connection: &mut Connection, _system: &SystemScope, lanes: &[i32]) -> Result<()> {
    sqlx::query(
        "select pg_advisory_xact_lock(hashtextextended('stop and go ' || account, 0))
         from (select distinct account from stop_go_lane where id = any($1) order by account) accounts",
    )
    .bind(lanes)
    .execute(connection)
    .await?;
    Ok(())
}

/// Locks a lane until the transaction ends, and returns it.
pub async fn lock(connection: &mut Connection, system: &SystemScope, id: i32) -> Result<Option<StoredLane>> {
    lock_accounts(&mut *connection, system, &[id]).await?;
    let row = sqlx::query_as!(
        StoredLane,
        r#"select id, account, google_connect_id as google_connect,
             exists (select from google_connect c join google_grant g on g.id = c.ads_grant_id
                     where c.id = google_connect_id and g.status = 'ok') as "has_grant!",
             country, text_folded as text, state, since, reason, desired, observed, checked_at, refused, stopped_at, min_go_until, min_go_seconds, toggles_day, toggles_today, approved_at,
             dry_run_seen_at, holdout, next_event_at
         from stop_go_lane where id = $1 for no key update"#,
        id
    );
    Ok(row.fetch_optional(connection).await?)
}

/// A lane as it is, not locked.
pub async fn get(executor: impl PgExecutor<'_>, _system: &SystemScope, id: i32) -> Result<Option<StoredLane>> {
    let row = sqlx::query_as!(
        StoredLane,
        r#"select id, account, google_connect_id as google_connect,
             exists (select from google_connect c join google_grant g on g.id = c.ads_grant_id
                     where c.id = google_connect_id and g.status = 'ok') as "has_grant!",
             country, text_folded as text, state, since, reason, desired, observed, checked_at, refused, stopped_at, min_go_until, min_go_seconds, toggles_day, toggles_today, approved_at,
             dry_run_seen_at, holdout, next_event_at
         from stop_go_lane where id = $1"#,
        id
    );
    Ok(row.fetch_optional(executor).await?)
}

/// Stores what was decided on a locked lane.
pub async fn save(connection: &mut Connection, _system: &SystemScope, lane: &StoredLane) -> Result<()> {
    sqlx::query!(
        "update stop_go_lane set state = $2, since = $3, reason = $4, desired = $5, observed = $6, stopped_at = $7, min_go_until = $8,
             min_go_seconds = $9, toggles_day = $10, toggles_today = $11, approved_at = $12, next_event_at = $13, refused = $14,
             dry_run_seen_at = $15, apply_after = case when desired is distinct from $5 then null else apply_after end,
             apply_failures = case when desired is distinct from $5 then 0 else apply_failures end
         where id = $1",
        lane.id,
        lane.state,
        lane.since,
        lane.reason,
        lane.desired,
        lane.observed,
        lane.stopped_at,
        lane.min_go_until,
        lane.min_go_seconds,
        lane.toggles_day,
        lane.toggles_today,
        lane.approved_at,
        lane.next_event_at,
        lane.refused,
        lane.dry_run_seen_at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A keyword of a lane, with what its brand says.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneMember {
    /// The brand of the keyword.
    pub brand: BrandId,
    /// Whether the keyword and its brand are switched on.
    pub is_on: bool,
    /// What the brand's lanes may do.
    pub mode: String,
    /// What differs from the defaults of the rule.
    pub settings: Value,
    /// Which state of the settings.
    pub settings_version: i32,
    /// The person that answers for the budget.
    pub owner: Option<UserId>,
    /// Official domains of the brand.
    pub officials: i64,
}

/// The keywords of a lane that are not hidden, by brand.
pub async fn members(executor: impl PgExecutor<'_>, _system: &SystemScope, lane: i32) -> Result<Vec<LaneMember>> {
    let rows = sqlx::query!(
        r#"select k.brand_id, k.enable and s.state = 'enable' and s.removed_at is null as "is_on!", s.mode, s.settings, s.settings_version,
               s.owner_user_id,
               (select count(*) from category c join category_dealer cd on cd.category_id = c.id
                where c.name = 'official' and c.scope = 'tag' and c.brand_owner_id = k.brand_id and cd.company_account_id is null) as "officials!"
           from stop_go_keyword k join stop_go_brand s on s.brand_id = k.brand_id join stop_go_lane n on n.id = k.lane_id
           where k.lane_id = $1 and k.removed_at is null and is_of_lane(k.term_id, k.brand_id, n.country, n.text_folded)
           order by k.brand_id, k.id"#,
        lane
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| LaneMember {
        brand: BrandId(row.brand_id),
        is_on: row.is_on,
        mode: row.mode,
        settings: row.settings,
        settings_version: row.settings_version,
        owner: row.owner_user_id.map(UserId),
        officials: row.officials,
    });
    Ok(found.collect())
}

/// A grid that a lane is captured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneGrid {
    /// The term that is captured.
    pub term: TermId,
    /// The device that it is captured on.
    pub device: Device,
    /// Milliseconds between captures.
    pub every_millis: i64,
}

/// The grids of the terms of a lane, by term and device.
pub async fn grids(executor: impl PgExecutor<'_>, _system: &SystemScope, lane: i32) -> Result<Vec<LaneGrid>> {
    let rows = sqlx::query!(
        r#"select distinct d.term_id, d.device::text as "device!", d.every_ms from stop_go_keyword k join term_due d on d.term_id = k.term_id
               join stop_go_lane n on n.id = k.lane_id
           where k.lane_id = $1 and k.removed_at is null and is_of_lane(k.term_id, k.brand_id, n.country, n.text_folded) order by 1, 2"#,
        lane
    )
    .fetch_all(executor)
    .await?;
    let grids = rows.into_iter().map(|row| {
        Ok(LaneGrid {
            term: TermId(row.term_id),
            device: parse("term_due.device", &row.device)?,
            every_millis: row.every_ms,
        })
    });
    grids.collect()
}

/// The lanes of a term, with the brands that it is linked to in each.
pub async fn of_term(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    term: TermId,
) -> Result<Vec<(i32, BrandId)>> {
    let rows = sqlx::query!(
        r#"select lane_id as "lane!", brand_id from stop_go_keyword
           where term_id = $1 and removed_at is null and lane_id is not null order by 1, 2"#,
        term.0
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.lane, BrandId(row.brand_id))).collect())
}

/// The lanes of a brand's keywords, hidden ones included.
pub async fn of_brand(executor: impl PgExecutor<'_>, _system: &SystemScope, brand: BrandId) -> Result<Vec<i32>> {
    let ids = sqlx::query_scalar!(
        r#"select distinct lane_id as "lane!" from stop_go_keyword where brand_id = $1 and lane_id is not null order by 1"#,
        brand.0
    );
    Ok(ids.fetch_all(executor).await?)
}

/// The lanes of an account in the order of their ids, each with whether its text should be in the list.
pub async fn of_account(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    account: &str,
) -> Result<Vec<(i32, bool)>> {
    let rows = sqlx::query!(
        "select id, desired from stop_go_lane where account = $1 order by id",
        account
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.desired)).collect())
}

/// The lanes that have to be decided on at `now` because of the clock, of a change of the list, because they never were, or because their last keyword is gone
/// (decision D211: its ads run again); stopped ones first.
pub async fn due(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<i32>> {
    let ids = sqlx::query_scalar!(
        "select id from stop_go_lane
         where next_event_at <= $1 or state in ('stopping', 'resuming') and observed = desired
             or desired and not exists (select from stop_go_keyword k where k.lane_id = stop_go_lane.id and k.removed_at is null)
         order by desired desc, next_event_at, id limit $2",
        now,
        limit
    );
    Ok(ids.fetch_all(executor).await?)
}

/// How many stops and goes the lanes of an account had on a day.
pub async fn toggles_of_account(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    account: &str,
    day: NaiveDate,
) -> Result<i64> {
    let toggles = sqlx::query_scalar!(
        r#"select coalesce(sum(toggles_today), 0)::int8 as "toggles!" from stop_go_lane where account = $1 and toggles_day = $2"#,
        account,
        day
    );
    Ok(toggles.fetch_one(executor).await?)
}

/// Whether one more lane of its account may be stopped under a cap in percent of its lanes, counting before it the candidates that are expected to save more
/// (decision D197), and one in percent of what all its lanes cost in a month. One may always be.
pub async fn has_room(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    (percent, cost_percent): (i32, i32),
) -> Result<bool> {
    let room = sqlx::query_scalar!(
        r#"select (select count(*) from stop_go_lane o where o.account = n.account and o.id <> n.id
                       and (o.desired or o.state = 'candidate' and o.reason = 'stopped-cap'
                           and (o.expected_saving, -o.id) > (n.expected_saving, -n.id)))
                  < greatest(1, (select count(distinct k.lane_id) from stop_go_keyword k join stop_go_lane l on l.id = k.lane_id
                                 where l.account = n.account and k.removed_at is null) * $2 / 100)
               and (not exists (select from stop_go_lane o where o.account = n.account and o.id <> n.id and o.desired)
                   or (select (coalesce(sum(o.month_cost_micros) filter (where o.desired and o.id <> n.id), 0) + n.month_cost_micros) * 100
                           <= sum(o.month_cost_micros) * $3::bigint from stop_go_lane o where o.account = n.account)) as "room!"
           from stop_go_lane n where n.id = $1"#,
        lane,
        i64::from(percent),
        i64::from(cost_percent)
    );
    Ok(room.fetch_optional(executor).await?.unwrap_or(false))
}

/// Sets what a stopped day of a lane is expected to save, from what was typed of its keywords and their monthly searches.
pub async fn expect(connection: &mut Connection, system: &SystemScope, lane: i32) -> Result<()> {
    // Lanes are changed by those alone who have their account.
    lock_accounts(&mut *connection, system, &[lane]).await?;
    sqlx::query!(
        "update stop_go_lane set expected_saving = coalesce((
             select sum(k.average_ctr::float8 / 100 * k.average_cpc::float8 * coalesce(monthly_searches(t.search_stats), 0) / 30)
             from stop_go_keyword k join term t on t.id = k.term_id where k.lane_id = $1 and k.removed_at is null), 0)
         where id = $1",
        lane
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Sets what the searches of each lane cost from one day to another, both included, by Google's figures. Terms of one lane have the same text, so the same
/// figures.
pub async fn note_costs(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    (first, last): (NaiveDate, NaiveDate),
) -> Result<()> {
    sqlx::query!(
        "with day as (
             select k.lane_id, s.date, max(s.cost_micros) as micros
             from stop_go_keyword k join stop_go_lane n on n.id = k.lane_id
                 join google_statistic s on s.term_id = k.term_id and s.sea_id is not null and s.date between $1 and $2
                 join google_connect c on c.id = s.google_connect_id and n.account = 'customer:' || c.customer_id
             group by k.lane_id, s.date
         ), total as (select lane_id, sum(micros)::bigint as micros from day group by lane_id)
         update stop_go_lane n set month_cost_micros = c.micros
         from (select o.id, coalesce(t.micros, 0) as micros from stop_go_lane o left join total t on t.lane_id = o.id
               where o.month_cost_micros <> coalesce(t.micros, 0) order by o.id for no key update of o) c
         where c.id = n.id",
        first,
        last
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Moves keywords to the lanes they belong to by now: those of brands that have a Google customer into the account of that customer, those of brands that have
/// none any more out of it, and those whose terms have other words or another country. One that is stopped goes first. Returns the lanes that keywords were
/// moved to.
pub async fn follow_accounts(
    connection: &mut Connection,
    _system: &SystemScope,
    now: DateTime<Utc>,
) -> Result<Vec<i32>> {
    sqlx::query!(
        "update stop_go_keyword k set removed_at = $1 from term t where t.id = k.term_id and t.brand_id is distinct from k.brand_id and k.removed_at is null",
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update stop_go_lane n set next_event_at = $1 where desired and not exists (
             select from stop_go_keyword k where k.lane_id = n.id and k.removed_at is null and is_of_lane(k.term_id, k.brand_id, n.country, n.text_folded))",
        now
    )
    .execute(&mut *connection)
    .await?;
    let wanted = sqlx::query!(
        r#"select k.id as "keyword!", n.id as "lane!", right(l.locale, 2) as "country!", lane_text(t.term) as "text!", g.id as "connect?",
               coalesce('customer:' || g.customer_id, 'brand:' || k.brand_id) as "account!",
               (right(l.locale, 2), lane_text(t.term)) = (n.country, n.text_folded) as "is_same_search!"
           from stop_go_keyword k join stop_go_lane n on n.id = k.lane_id join term t on t.id = k.term_id
               join localization l on l.id = t.localization_id
               left join lateral (select id, customer_id from google_connect where brand_id = k.brand_id order by id limit 1) g on true
           where k.removed_at is null and not n.desired and n.observed is not true
               and (n.account <> coalesce('customer:' || g.customer_id, 'brand:' || k.brand_id)
                   or (right(l.locale, 2), lane_text(t.term)) <> (n.country, n.text_folded))
           order by k.id"#
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut moved = Vec::new();
    for row in wanted {
        let lane = sqlx::query_scalar!(
            "insert into stop_go_lane (account, google_connect_id, country, text_folded, since) values ($1, $2, $3, $4, $5)
             on conflict (account, country, text_folded) do update set google_connect_id = excluded.google_connect_id
             returning id",
            row.account,
            row.connect,
            row.country,
            row.text,
            now
        )
        .fetch_one(&mut *connection)
        .await?;
        if row.is_same_search {
            sqlx::query!(
                "insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, rivals, partners, organic_first, own_ad)
                 select $1, capture_id, term_id, device, at, verdict, rivals, partners, organic_first, own_ad from stop_go_reading where lane_id = $2
                 on conflict do nothing",
                lane,
                row.lane
            )
            .execute(&mut *connection)
            .await?;
        }
        sqlx::query!(
            "update stop_go_keyword set lane_id = $2 where id = $1",
            row.keyword,
            lane
        )
        .execute(&mut *connection)
        .await?;
        moved.push(lane);
    }
    Ok(moved)
}
