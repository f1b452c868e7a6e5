//! Figures of keywords by day.

use chrono::{DateTime, NaiveDate, Utc};
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
    now: DateTime<Utc>,
) -> Result<u64> {
    let mut stored = 0;
    for chunk in figures.chunks(10_000) {
        let terms: Vec<i32> = chunk.iter().map(|figure| figure.term).collect();
        let dates: Vec<NaiveDate> = chunk.iter().map(|figure| figure.date).collect();
        let impressions: Vec<i64> = chunk.iter().map(|figure| figure.impressions).collect();
        let clicks: Vec<i64> = chunk.iter().map(|figure| figure.clicks).collect();
        let costs: Vec<i64> = chunk.iter().map(|figure| figure.cost_micros).collect();
        let finals: Vec<bool> = chunk.iter().map(|figure| figure.is_final).collect();
        let done = sqlx::query!(
            "insert into google_statistic (google_connect_id, term_id, date, source, impressions, clicks, cost_micros, currency, fetched_at, final)
             select $1, f.term, f.date, $2, f.impressions, f.clicks, f.cost, $9, $10, f.final
             from unnest($3::int[], $4::date[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bool[]) as f (term, date, impressions, clicks, cost, final)
               join google_keyword k on k.google_connect_id = $1 and k.term_id = f.term
             on conflict (google_connect_id, term_id, date, source) do update set impressions = excluded.impressions, clicks = excluded.clicks,
               cost_micros = excluded.cost_micros, currency = excluded.currency, fetched_at = excluded.fetched_at, final = excluded.final",
            item,
            source.to_string(),
            &terms,
            &dates,
            &impressions,
            &clicks,
            &costs,
            &finals,
            currency,
            now
        )
        .execute(&mut *connection)
        .await?;
        stored += done.rows_affected();
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
             select s.date, s.term_id,
               max(s.id) filter (where s.source = 'SEO') as seo_id, max(s.id) filter (where s.source = 'SEA') as sea_id,
               sum(s.impressions) filter (where s.source = 'SEO') as seo_impressions, sum(s.clicks) filter (where s.source = 'SEO') as seo_clicks,
               sum(s.impressions) filter (where s.source = 'SEA') as sea_impressions, sum(s.clicks) filter (where s.source = 'SEA') as sea_clicks,
               sum(s.cost_micros) as cost_micros, max(s.currency) as currency, bool_and(s.final) as is_final
             from google_statistic s join google_connect c on c.id = s.google_connect_id
             where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and s.date between $3 and $4
               and (cardinality($5::int[]) = 0 or s.term_id = any($5))
             group by s.date, s.term_id, case when s.term_id is null then s.id end
             order by s.date desc, s.term_id nulls last, case when s.term_id is null then s.id end offset $6 limit $7
           )
           select p.date as "date!", p.term_id as term, coalesce(t.term, '') as "content!", upper(right(coalesce(l.locale, ''), 2)) as "country!",
             p.seo_id, coalesce(p.seo_impressions, 0)::bigint as "seo_impressions!", coalesce(p.seo_clicks, 0)::bigint as "seo_clicks!",
             p.sea_id, coalesce(p.sea_impressions, 0)::bigint as "sea_impressions!", coalesce(p.sea_clicks, 0)::bigint as "sea_clicks!",
             coalesce(p.cost_micros, 0)::bigint as "cost_micros!", p.currency, p.is_final as "is_final!"
           from page p left join term t on t.id = p.term_id left join localization l on l.id = t.localization_id
           order by p.date desc, p.term_id nulls last, coalesce(p.seo_id, p.sea_id)"#,
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

/// How many days of terms a filter has. An index that is in their order is read alone, which `distinct on` asks for and `group by` leaves to chance; figures
/// of terms that are gone count one by one.
pub async fn count(executor: impl PgExecutor<'_>, scope: &Scope, filter: &StatFilter) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let found = sqlx::query_scalar!(
        r#"with item as (select c.id from google_connect c where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)))
           select (select count(*) from (
                     select distinct on (s.term_id, s.date) s.term_id from google_statistic s
                     where s.google_connect_id = (select id from item) and s.term_id is not null and s.date between $3 and $4
                       and (cardinality($5::int[]) = 0 or s.term_id = any($5))
                     order by s.term_id, s.date) days)
               + (select count(*) from google_statistic s
                  where s.google_connect_id = (select id from item) and s.term_id is null and s.date between $3 and $4 and cardinality($5::int[]) = 0)
               as "count!""#,
        bounds.brands as Option<Vec<i32>>,
        filter.item,
        filter.days.0,
        filter.days.1,
        &filter.terms
    )
    // Planned for its own parameters: a plan for any sorts all figures.
    .persistent(false)
    .fetch_one(executor)
    .await?;
    Ok(u64::try_from(found).unwrap_or_default())
}

/// The figures under a filter by day, oldest first.
pub async fn daily(executor: impl PgExecutor<'_>, scope: &Scope, filter: &StatFilter) -> Result<Vec<DayFigures>> {
    let bounds = ScopeLists::from_scope(scope);
    Ok(sqlx::query_as!(
        DayFigures,
        r#"select s.date as "date!",
             coalesce(sum(s.impressions) filter (where s.source = 'SEO'), 0)::bigint as "seo_impressions!",
             coalesce(sum(s.clicks) filter (where s.source = 'SEO'), 0)::bigint as "seo_clicks!",
             coalesce(sum(s.impressions) filter (where s.source = 'SEA'), 0)::bigint as "sea_impressions!",
             coalesce(sum(s.clicks) filter (where s.source = 'SEA'), 0)::bigint as "sea_clicks!", bool_and(s.final) as "is_final!"
           from google_statistic s join google_connect c on c.id = s.google_connect_id
           where c.id = $2 and ($1::int[] is null or c.brand_id = any($1)) and s.date between $3 and $4
             and (cardinality($5::int[]) = 0 or s.term_id = any($5))
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
    let done = sqlx::query!(
        "delete from google_statistic s using google_connect c
         where c.id = s.google_connect_id and c.id = $2 and ($1::int[] is null or c.brand_id = any($1))
           and (s.source = 'SEA' and s.id = any($3) or s.source = 'SEO' and s.id = any($4))",
        bounds.brands as Option<Vec<i32>>,
        item,
        sea,
        seo
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes all figures of an item; returns how many.
pub async fn purge_item(executor: impl PgExecutor<'_>, scope: &Scope, item: i32) -> Result<u64> {
    let bounds = ScopeLists::from_scope(scope);
    let done = sqlx::query!(
        "delete from google_statistic s using google_connect c
         where c.id = s.google_connect_id and c.id = $2 and ($1::int[] is null or c.brand_id = any($1))",
        bounds.brands as Option<Vec<i32>>,
        item
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}
