//! What lanes saved on each day.

use chrono::NaiveDate;
use sqlx::PgExecutor;
use vocabulary::{BrandId, Scope, SystemScope};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// What a lane saved on a day.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDay {
    /// The lane that was stopped.
    pub lane: i32,
    /// The day, in the time zone of the brand's settings.
    pub day: NaiveDate,
    /// Seconds that it was stopped.
    pub stopped_seconds: i32,
    /// Seconds of these in which a rival was seen.
    pub harm_seconds: i32,
    /// Stops and goes.
    pub toggles: i32,
    /// What the clicks would have cost.
    pub gross: f64,
    /// Clicks that did not come at all, at most.
    pub lost_clicks: f64,
    /// The saving at least.
    pub net_low: f64,
    /// The saving at most.
    pub net_high: f64,
    /// Days that the expectation is made of.
    pub base_days: i32,
    /// `google`, `typed` or `none`.
    pub source: String,
    /// Whether it changes no more.
    pub is_final: bool,
}

/// Stores a day of a lane, unless it is final already.
pub async fn save(connection: &mut Connection, _system: &SystemScope, day: &StoredDay) -> Result<()> {
    sqlx::query!(
        "insert into stop_go_day (lane_id, day, stopped_seconds, harm_seconds, toggles, gross, lost_clicks, net_low, net_high, base_days,
             source, final) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         on conflict (lane_id, day) do update set stopped_seconds = $3, harm_seconds = $4, toggles = $5, gross = $6, lost_clicks = $7,
             net_low = $8, net_high = $9, base_days = $10, source = $11, final = $12
             where not stop_go_day.final",
        day.lane,
        day.day,
        day.stopped_seconds,
        day.harm_seconds,
        day.toggles,
        day.gross,
        day.lost_clicks,
        day.net_low,
        day.net_high,
        day.base_days,
        day.source,
        day.is_final
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What the lanes of a brand saved in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct BrandSaving {
    /// The brand that saved.
    pub brand: BrandId,
    /// Its name on screens.
    pub label: String,
    /// Seconds that lanes were stopped.
    pub stopped_seconds: i64,
    /// Seconds of these in which a rival was seen.
    pub harm_seconds: i64,
    /// Stops and goes.
    pub toggles: i64,
    /// Clicks that did not come at all, at most.
    pub lost_clicks: f64,
    /// The saving at least.
    pub net_low: f64,
    /// The saving at most.
    pub net_high: f64,
    /// Lane days whose expectation is made of Google's figures.
    pub google_days: i64,
    /// Lane days whose expectation is made of typed averages.
    pub typed_days: i64,
}

/// What the brands in scope saved from one day to another, both included, by label. A lane of two brands counts for the first of them.
pub async fn of_brands(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    (first, last): (NaiveDate, NaiveDate),
) -> Result<Vec<BrandSaving>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select b.id, coalesce(nullif(b.label, ''), b.name, '') as "label!", coalesce(sum(d.stopped_seconds), 0)::int8 as "stopped!",
               coalesce(sum(d.harm_seconds), 0)::int8 as "harm!", coalesce(sum(d.toggles), 0)::int8 as "toggles!",
               coalesce(sum(d.lost_clicks), 0)::float8 as "lost!", coalesce(sum(d.net_low), 0)::float8 as "low!",
               coalesce(sum(d.net_high), 0)::float8 as "high!", count(*) filter (where d.source = 'google') as "google!",
               count(*) filter (where d.source = 'typed') as "typed!"
           from stop_go_brand s join brand b on b.id = s.brand_id
               left join lateral (select distinct k.lane_id from stop_go_keyword k where k.brand_id = b.id
                   and not exists (select from stop_go_keyword o where o.lane_id = k.lane_id and o.brand_id < b.id)) k on true
               left join stop_go_day d on d.lane_id = k.lane_id and d.day between $2 and $3
           where s.removed_at is null and ($1::int[] is null or s.brand_id = any($1))
           group by b.id order by 2, b.id"#,
        bounds.brands as Option<Vec<i32>>,
        first,
        last
    )
    .fetch_all(executor)
    .await?;
    let found = rows.into_iter().map(|row| BrandSaving {
        brand: BrandId(row.id),
        label: row.label,
        stopped_seconds: row.stopped,
        harm_seconds: row.harm,
        toggles: row.toggles,
        lost_clicks: row.lost,
        net_low: row.low,
        net_high: row.high,
        google_days: row.google,
        typed_days: row.typed,
    });
    Ok(found.collect())
}

/// What was typed of a lane's keywords: the mean click rate in percent, the mean price of a click, and their monthly searches together; `None` where nobody
/// typed both or searches are unknown.
pub async fn typed_averages(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
) -> Result<Option<(f64, f64, f64)>> {
    let row = sqlx::query!(
        "select avg(k.average_ctr)::float8 as ctr, avg(k.average_cpc)::float8 as cpc,
             sum(monthly_searches(t.search_stats)) as searches
         from stop_go_keyword k join term t on t.id = k.term_id
         where k.lane_id = $1 and k.average_ctr is not null and k.average_cpc is not null",
        lane
    )
    .fetch_one(executor)
    .await?;
    Ok(row
        .ctr
        .zip(row.cpc)
        .zip(row.searches)
        .map(|((ctr, cpc), searches)| (ctr, cpc, searches)))
}

/// What Google says of a lane on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneFigures {
    /// The day of the figures.
    pub date: NaiveDate,
    /// Clicks on ads.
    pub ad_clicks: i64,
    /// What these cost, in millionths of the currency.
    pub cost_micros: i64,
    /// Impressions in Search Console; `None` where nothing was read.
    pub impressions: Option<i64>,
    /// Whether the lane was stopped on a part of that day.
    pub was_stopped: bool,
    /// Whether Google may still change a figure of it.
    pub is_final: bool,
}

/// What Google says of a lane from one day to another, both included. Terms of one lane have the same text, so the same figures.
pub async fn figures(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    (first, last): (NaiveDate, NaiveDate),
) -> Result<Vec<LaneFigures>> {
    Ok(sqlx::query_as!(
        LaneFigures,
        r#"select s.date, max(s.sea_clicks) as "ad_clicks!", max(s.cost_micros) as "cost_micros!",
               max(s.seo_impressions) filter (where s.seo_id is not null) as impressions,
               exists (select from stop_go_day d where d.lane_id = $1 and d.day = s.date and d.stopped_seconds > 0) as "was_stopped!",
               bool_and(s.seo_final and s.sea_final) as "is_final!"
           from stop_go_lane n join google_connect c on n.account = 'customer:' || c.customer_id
               join stop_go_keyword k on k.lane_id = n.id
               join google_statistic s on s.google_connect_id = c.id and s.term_id = k.term_id and s.date between $2 and $3
           where n.id = $1 group by s.date order by s.date"#,
        lane,
        first,
        last
    )
    .fetch_all(executor)
    .await?)
}

/// What a click on a lane is worth to its brands at most, and the share of its cost that Performance Max has, in percent, which no list covers.
pub async fn worth(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
) -> Result<(Option<f64>, Option<f64>)> {
    let row = sqlx::query!(
        "select (select max(b.value_per_click) from stop_go_keyword k join stop_go_brand b on b.brand_id = k.brand_id where k.lane_id = n.id) as worth,
             l.pmax_percent
         from stop_go_lane n left join stop_go_list l on l.account = n.account and l.country = n.country where n.id = $1",
        lane
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map_or((None, None), |row| (row.worth, row.pmax_percent)))
}

/// The days of a lane since a day that change no more.
pub async fn final_days(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    lane: i32,
    since: NaiveDate,
) -> Result<Vec<NaiveDate>> {
    let days = sqlx::query_scalar!(
        "select day from stop_go_day where lane_id = $1 and day >= $2 and final",
        lane,
        since
    );
    Ok(days.fetch_all(executor).await?)
}

/// The lanes that were stopped on some day since, by the decisions on them.
pub async fn lanes_stopped_since(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    since: NaiveDate,
) -> Result<Vec<i32>> {
    let lanes = sqlx::query_scalar!(
        "select id from stop_go_lane n
         where n.desired or exists (select from stop_go_decision d where d.lane_id = n.id and d.at >= $1::date and d.from_state = 'stopped')
         order by id",
        since
    );
    Ok(lanes.fetch_all(executor).await?)
}
