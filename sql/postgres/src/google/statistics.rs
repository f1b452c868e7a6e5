//! Figures of keywords by day.

use chrono::NaiveDate;
use sqlx::PgExecutor;
use vocabulary::{Scope, SystemScope};

use super::Source;
use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// A figure that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Id of the term.
    pub term: i32,
    /// The day, in the source's own time zone.
    pub date: NaiveDate,
    /// How often something was shown.
    pub impressions: i64,
    /// How often it was clicked.
    pub clicks: i64,
    /// What the clicks cost, in millionths of the currency.
    pub cost_micros: i64,
    /// Whether Google no longer changes it.
    pub is_final: bool,
}

/// What the table shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatFilter {
    /// Id of the item.
    pub item: i32,
    /// The first and the last day, both included.
    pub days: (NaiveDate, NaiveDate),
    /// These terms alone; empty: all.
    pub terms: Vec<i32>,
}

/// A day of a term: the two sources side by side (decision D123). The side without figures has no id, and 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatRow {
    /// The day of the figures.
    pub date: NaiveDate,
    /// The term; none once it was deleted.
    pub term: Option<i32>,
    /// Words of the term.
    pub content: String,
    /// Two letters of the country.
    pub country: String,
    /// Id of the unpaid side.
    pub seo_id: Option<i32>,
    /// Unpaid results shown.
    pub seo_impressions: i64,
    /// Clicks on them.
    pub seo_clicks: i64,
    /// Id of the paid side.
    pub sea_id: Option<i32>,
    /// How often ads were shown.
    pub sea_impressions: i64,
    /// Clicks on them.
    pub sea_clicks: i64,
    /// What those cost, in millionths of the currency.
    pub cost_micros: i64,
    /// ISO 4217 code of the currency.
    pub currency: Option<String>,
    /// Whether Google may still change a side.
    pub is_final: bool,
}

/// The figures of a day, added up over terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayFigures {
    /// The day of the figures.
    pub date: NaiveDate,
    /// Unpaid results shown.
    pub seo_impressions: i64,
    /// Clicks on them.
    pub seo_clicks: i64,
    /// How often ads were shown.
    pub sea_impressions: i64,
    /// Clicks on them.
    pub sea_clicks: i64,
    /// Whether Google may still change them.
    pub is_final: bool,
}

/// Stores the figures that a retrieval read of terms and days, in place of those of the same days. Terms that are mapped no more are left out.
pub async fn store(
    connection: &mut Connection,
    _system: &SystemScope,
    (item, source, currency): (i32, Source, Option<&str>),
    figures: &[Figure],
) -> Result<u64> {
    // In the order in which `purge` locks them too: both sources of an item may be stored at once, in the same rows.
    let mut figures: Vec<&Figure> = figures.iter().collect();
    figures.sort_unstable_by_key(|figure| (figure.term, figure.date));
    let mut stored = 0;
    for chunk in figures.chunks(10_000) {
        let terms: Vec<i32> = chunk.iter().map(|figure| figure.term).collect();
        let dates: Vec<NaiveDate> = chunk.iter().map(|figure| figure.date).collect();
        let impressions: Vec<i64> = chunk.iter().map(|figure| figure.impressions).collect();
        let clicks: Vec<i64> = chunk.iter().map(|figure| figure.clicks).collect();
        let costs: Vec<i64> = chunk.iter().map(|figure| figure.cost_micros).collect();
        let finals: Vec<bool> = chunk.iter().map(|figure| figure.is_final).collect();
        let statement = match source {
            Source::Seo => sqlx::query!(
                "insert into google_statistic (google_connect_id, term_id, date, seo_id, seo_impressions, seo_clicks, seo_final)
                 select $1, f.term, f.date, nextval('google_figure_id'), f.impressions, f.clicks, f.final
                 from unnest($2::int[], $3::date[], $4::bigint[], $5::bigint[], $6::bool[]) as f (term, date, impressions, clicks, final)
                   join google_keyword k on k.google_connect_id = $1 and k.term_id = f.term
                 order by f.term, f.date
                 on conflict (google_connect_id, term_id, date) do update set seo_id = coalesce(google_statistic.seo_id, excluded.seo_id),
                   seo_impressions = excluded.seo_impressions, seo_clicks = excluded.seo_clicks, seo_final = excluded.seo_final",
                item,
                &terms,
                &dates,
                &impressions,
                &clicks,
                &finals
            ),
            Source::Sea => sqlx::query!(
                "insert into google_statistic (google_connect_id, term_id, date, sea_id, sea_impressions, sea_clicks, sea_final, cost_micros, currency)
                 select $1, f.term, f.date, nextval('google_figure_id'), f.impressions, f.clicks, f.final, f.cost, $8
                 from unnest($2::int[], $3::date[], $4::bigint[], $5::bigint[], $6::bool[], $7::bigint[])
                     as f (term, date, impressions, clicks, final, cost)
                   join google_keyword k on k.google_connect_id = $1 and k.term_id = f.term
                 order by f.term, f.date
                 on conflict (google_connect_id, term_id, date) do update set sea_id = coalesce(google_statistic.sea_id, excluded.sea_id),
                   sea_impressions = excluded.sea_impressions, sea_clicks = excluded.sea_clicks, sea_final = excluded.sea_final,
                   cost_micros = excluded.cost_micros, currency = excluded.currency",
                item,
                &terms,
                &dates,
                &impressions,
                &clicks,
                &finals,
                &costs,
                currency
            ),
        };
        stored += statement.execute(&mut *connection).await?.rows_affected();
    }
    Ok(stored)
}

/// The days of terms under a filter, newest first.
pub async fn rows(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    filter: &StatFilter,
    (offset, limit): (i64, Option<i64>),
) -> Result<Vec<StatRow>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        StatRow,
        r#"with page as (
             select s.* from google_statistic s
             where s.google_connect_id = (select c.id from google_connect c where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)))
               and s.date between $3 and $4 and (cardinality($5::int[]) = 0 or s.term_id = any($5))
             order by s.date desc, s.term_id, s.id offset $6 limit $7
           )
           select p.date, p.term_id as term, coalesce(t.term, '') as "content!", upper(right(coalesce(l.locale, ''), 2)) as "country!",
             p.seo_id, p.seo_impressions, p.seo_clicks, p.sea_id, p.sea_impressions, p.sea_clicks, p.cost_micros, p.currency,
             p.seo_final and p.sea_final as "is_final!"
           from page p left join term t on t.id = p.term_id left join localization l on l.id = t.localization_id
           order by p.date desc, p.term_id, p.id"#,
        bounds.brands as Option<Vec<i32>>,
        filter.item,
        filter.days.0,
        filter.days.1,
        &filter.terms,
        offset,
        limit
    )
    .fetch_all(executor)
    .await?)
}

/// How many days of terms a filter has.
pub async fn count(executor: impl PgExecutor<'_>, scope: &Scope, filter: &StatFilter) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let found = sqlx::query_scalar!(
        r#"select count(*) as "count!" from google_statistic s
           where s.google_connect_id = (select c.id from google_connect c where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)))
             and s.date between $3 and $4 and (cardinality($5::int[]) = 0 or s.term_id = any($5))"#,
        bounds.brands as Option<Vec<i32>>,
        filter.item,
        filter.days.0,
        filter.days.1,
        &filter.terms
    )
    .fetch_one(executor)
    .await?;
    Ok(u64::try_from(found).unwrap_or_default())
}

/// The figures under a filter by day, oldest first.
pub async fn daily(executor: impl PgExecutor<'_>, scope: &Scope, filter: &StatFilter) -> Result<Vec<DayFigures>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        DayFigures,
        r#"select s.date, sum(s.seo_impressions)::bigint as "seo_impressions!", sum(s.seo_clicks)::bigint as "seo_clicks!",
             sum(s.sea_impressions)::bigint as "sea_impressions!", sum(s.sea_clicks)::bigint as "sea_clicks!",
             bool_and(s.seo_final and s.sea_final) as "is_final!"
           from google_statistic s
           where s.google_connect_id = (select c.id from google_connect c where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)))
             and s.date between $3 and $4 and (cardinality($5::int[]) = 0 or s.term_id = any($5))
           group by s.date order by s.date"#,
        bounds.brands as Option<Vec<i32>>,
        filter.item,
        filter.days.0,
        filter.days.1,
        &filter.terms
    )
    .fetch_all(executor)
    .await?)
}

/// Deletes the figures of an item with these ids, each of its own source (decision D124); returns how many.
pub async fn purge(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    item: i32,
    (sea, seo): (&[i32], &[i32]),
) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    // A row is deleted with its last source: one statement does not change a row and delete it.
    let done = sqlx::query_scalar!(
        r#"with of as (
             select s.id, coalesce(s.sea_id = any($3), false) as sea, coalesce(s.seo_id = any($4), false) as seo,
               (s.sea_id is null or s.sea_id = any($3)) and (s.seo_id is null or s.seo_id = any($4)) as whole
             from google_statistic s join google_connect c on c.id = s.google_connect_id
             where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and (s.sea_id = any($3) or s.seo_id = any($4))
             order by s.term_id, s.date for update of s
           ), gone as (
             delete from google_statistic s using of where s.id = of.id and of.whole
           ), without_sea as (
             update google_statistic s set sea_id = null, sea_impressions = 0, sea_clicks = 0, cost_micros = 0, currency = null, sea_final = true
             from of where s.id = of.id and of.sea and not of.whole
           ), without_seo as (
             update google_statistic s set seo_id = null, seo_impressions = 0, seo_clicks = 0, seo_final = true
             from of where s.id = of.id and of.seo and not of.whole
           )
           select coalesce(sum(sea::int + seo::int), 0)::bigint as "count!" from of"#,
        bounds.brands as Option<Vec<i32>>,
        item,
        sea,
        seo
    )
    .fetch_one(executor)
    .await?;
    Ok(u64::try_from(done).unwrap_or_default())
}

/// Deletes all figures of an item; returns how many, those of each source counted.
pub async fn purge_item(executor: impl PgExecutor<'_>, scope: &Scope, item: i32) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query_scalar!(
        r#"with gone as (
             delete from google_statistic s using google_connect c
             where c.id = s.google_connect_id and c.id = $2 and ($1::int[] is null or c.brand_id = any($1))
             returning (s.sea_id is not null)::int + (s.seo_id is not null)::int as sources
           )
           select coalesce(sum(sources), 0)::bigint as "count!" from gone"#,
        bounds.brands as Option<Vec<i32>>,
        item
    )
    .fetch_one(executor)
    .await?;
    Ok(u64::try_from(done).unwrap_or_default())
}
